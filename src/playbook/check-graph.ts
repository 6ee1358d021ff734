// The mistakes of the steps together, found on the compiled machine: steps nobody reaches, steps that lead nowhere, ways to
// `fixed` that skip a phase.
import type { AnyStateMachine } from "xstate";
import { adjacencyMapToArray, getAdjacencyMap, getShortestPaths } from "xstate/graph";
import type { Problem } from "./problem.ts";
import type { Phase, PlaybookFile } from "./schema.ts";
import type { Source } from "./source.ts";
import { compile } from "./walk.ts";

type Whole = PlaybookFile & { id: string };

/** The mistakes of the whole: only for steps whose targets all exist, since the machine is compiled. */
export function checkGraph(file: Whole, source: Source): Problem[] {
  const machine = compile(file);
  const problems: Problem[] = [];
  const entries = [...new Set([file.start, ...Object.values(file.opens ?? {})])];
  const reached = new Set(entries.flatMap((entry) => reachedFrom(machine, entry)));
  for (const id of Object.keys(machine.states)) {
    if (!reached.has(id)) {
      problems.push(
        source.problem(
          "unreached-step",
          ["steps", id],
          `step "${id}" is never reached; lead to it or delete it`,
          "key",
        ),
      );
    }
  }
  const leaves = stepsThatLeave(file, machine, entries);
  for (const id of Object.keys(machine.states)) {
    if (!leaves.has(id)) {
      problems.push(
        source.problem("dead-end", ["steps", id], `from step "${id}" no end and no handoff can be reached`, "key"),
      );
    }
  }
  for (const [end, way, lacks] of hastyWays(file, entries)) {
    const say = `the way ${way.join(" > ")} ends fixed without a ${lacks.join(" and a ")} step${lacks.includes("verify") ? " after the last fix" : ""}`;
    problems.push(source.problem("unverified", ["steps", end], say, "key"));
  }
  return problems;
}

/** Shortest paths, never simple paths: those explode. Unreached states are not in the result. */
function reachedFrom(machine: AnyStateMachine, step: string): string[] {
  const fromState = machine.resolveState({ value: step, context: {} });
  return getShortestPaths(machine, { fromState }).map((path) => String(path.state.value));
}

/** Every reached step from which an end or a handoff can be reached, found backwards from those. */
function stepsThatLeave(file: Whole, machine: AnyStateMachine, entries: readonly string[]): Set<string> {
  const before = new Map<string, Set<string>>();
  for (const entry of entries) {
    const fromState = machine.resolveState({ value: entry, context: {} });
    for (const { state, nextState } of adjacencyMapToArray(getAdjacencyMap(machine, { fromState }))) {
      const to = String(nextState.value);
      before.set(to, (before.get(to) ?? new Set()).add(String(state.value)));
    }
  }
  const leaves = new Set(Object.keys(file.steps).filter((id) => !file.steps[id]?.choices));
  const queue = [...leaves];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const from of before.get(id) ?? []) {
      if (leaves.has(from)) continue;
      leaves.add(from);
      queue.push(from);
    }
  }
  return leaves;
}

const MUST_PASS: readonly Phase[] = ["locate", "fix", "verify"];

/** The shortest way to each `fixed` end that skips a phase. A fix after a verification needs another verification. */
function hastyWays(file: Whole, entries: readonly string[]): [end: string, way: string[], lacks: Phase[]][] {
  const found = new Map<string, [string, string[], Phase[]]>();
  const seen = new Set<string>();
  const queue = entries.map((step) => ({ step, passed: new Set<Phase>(), way: [step] }));
  for (let at = 0; at < queue.length; at++) {
    const { step, passed, way } = queue[at] as (typeof queue)[number];
    const key = `${step} ${[...passed].sort().join()}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const here = file.steps[step];
    const lacks = MUST_PASS.filter((phase) => !passed.has(phase));
    if (here?.ends === "fixed" && lacks.length > 0 && !found.has(step)) found.set(step, [step, way, lacks]);
    const after = new Set(passed);
    if (here?.phase === "fix") after.delete("verify");
    if (here?.phase && MUST_PASS.includes(here.phase)) after.add(here.phase);
    for (const { to } of Object.values(here?.choices ?? {})) queue.push({ step: to, passed: after, way: [...way, to] });
  }
  return [...found.values()];
}
