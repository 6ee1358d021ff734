// The mistakes of single steps: what each is, where it leads, what its command and conditions name.

import { FACTS, READERS } from "../facts/catalogue.ts";
import { type Condition, factsOf, type Test } from "../facts/condition.ts";
import type { Folder } from "./check.ts";
import { checkGraph } from "./check-graph.ts";
import { entersCommands, hasOddPlace, placesOf } from "./fill.ts";
import type { Problem } from "./problem.ts";
import type { PlaybookFile, Step } from "./schema.ts";
import type { Path, Source } from "./source.ts";
import { parseHands } from "./walk.ts";

/** The steps of each other playbook, by id; undefined where there is no such playbook. */
export type Elsewhere = (playbook: string) => ReadonlySet<string> | undefined;

type Steps = PlaybookFile & { id: string };
type Say = (path: Path, say: string, part?: "key" | "value") => void;

export function checkSteps(file: Steps, source: Source, given: { folder: Folder; elsewhere: Elsewhere }): Problem[] {
  const problems: Problem[] = [];
  const say = (rule: Problem["rule"]): Say => {
    return (path, text, part) => problems.push(source.problem(rule, path, text, part));
  };
  for (const [id, step] of Object.entries(file.steps)) {
    checkKind(id, step, say("step-kind"));
    checkHands(file, id, step, say, given.elsewhere);
    checkCommand(id, step, say, given.folder);
    checkChoices(id, step, say);
    checkTeaching(id, step, say);
  }
  problems.push(...checkCited(file, source));
  const whole = checkTargets(file, say);
  if (whole) problems.push(...checkGraph(file, source));
  return problems;
}

function checkKind(id: string, step: Step, say: Say): void {
  const kinds = (["choices", "hands", "ends"] as const).filter((key) => step[key] !== undefined);
  if (kinds.length !== 1) {
    const has = kinds.length === 0 ? "none" : kinds.join(" and ");
    say(["steps", id], `step "${id}" has ${has} of choices, hands and ends; give it exactly one`, "key");
  }
  if (step.choices && Object.keys(step.choices).length === 0)
    say(["steps", id, "choices"], `step "${id}" offers no choice`, "key");
  if (step.choices && Object.keys(step.choices).length > 20) {
    say(
      ["steps", id, "choices"],
      `step "${id}" offers more than 20 choices; Slack shows 25 buttons, and five are ours`,
      "key",
    );
  }
  if (step.choices && !step.phase)
    say(["steps", id], `step "${id}" has no phase; say symptom, locate, fix or verify`, "key");
  if (!step.choices && step.phase)
    say(["steps", id, "phase"], `step "${id}" is an end or a handoff, which has no phase; delete it`, "key");
  if (!step.choices) {
    for (const key of ["command", "script", "reads", "risk"] as const) {
      if (step[key] !== undefined)
        say(["steps", id, key], `step "${id}" is an end or a handoff, which has no ${key}; delete it`, "key");
    }
  }
}

function checkHands(
  file: Steps,
  id: string,
  step: Step,
  say: (rule: Problem["rule"]) => Say,
  elsewhere: Elsewhere,
): void {
  if (step.hands === undefined) return;
  const { playbook, step: target } = parseHands(step.hands);
  const steps = playbook === file.id ? new Set(Object.keys(file.steps)) : elsewhere(playbook);
  const path = ["steps", id, "hands"];
  if (!steps) say("missing-playbook")(path, `there is no playbook "${playbook}"; make it, or hand to one that exists`);
  else if (target !== null && !steps.has(target)) {
    say("missing-playbook")(path, `playbook "${playbook}" has no step "${target}"`);
  } else if (playbook === file.id) {
    say("missing-playbook")(path, "a playbook does not hand over to itself; lead to the step with a choice");
  }
}

function checkCommand(id: string, step: Step, say: (rule: Problem["rule"]) => Say, folder: Folder): void {
  const path = ["steps", id];
  for (const place of placesOf(step.command ?? "")) {
    if (!Object.hasOwn(FACTS, place)) {
      say("unknown-fact")(
        [...path, "command"],
        `{{${place}}} is not a fact; facts are listed in src/facts/catalogue.ts`,
      );
    } else if (!entersCommands(place)) {
      say("place")(
        [...path, "command"],
        `{{${place}}} may hold any text, so it never enters a command; write <${place.replaceAll("_", "-")}> instead`,
      );
    }
  }
  if (hasOddPlace(step.command ?? "")) {
    say("place")([...path, "command"], "a place is written {{name_of_fact}}; this one is not");
  }
  if (step.script !== undefined && folder.files[`scripts/${step.script}`] === undefined) {
    say("script")([...path, "script"], `there is no file scripts/${step.script}`);
  }
  for (const [at, reader] of (step.reads ?? []).entries()) {
    if (!(READERS as readonly string[]).includes(reader)) {
      say("reads")([...path, "reads", at], `there is no output reader "${reader}"; known: ${READERS.join(", ")}`);
    }
  }
  if (step.phase === "fix" && step.risk === undefined) {
    say("risk")(path, `step "${id}" is a fix; say its risk: none, changes-run, changes-cluster or loses-work`, "key");
  }
}

function checkChoices(id: string, step: Step, say: (rule: Problem["rule"]) => Say): void {
  const seen = new Map<string, string>();
  for (const [choice, { when }] of Object.entries(step.choices ?? {})) {
    if (!when) continue;
    const path = ["steps", id, "choices", choice, "when"];
    for (const fact of factsOf(when)) {
      if (!Object.hasOwn(FACTS, fact)) {
        say("unknown-fact")(path, `"${fact}" is not a fact; facts are listed in src/facts/catalogue.ts`);
      }
    }
    for (const test of testsOf(when)) checkTest(test, (text) => say("condition")(path, text));
    const same = JSON.stringify(when);
    const first = seen.get(same);
    if (first)
      say("condition")(path, `choice "${first}" has the same condition and comes first; this one never settles`);
    seen.set(same, choice);
  }
}

function checkTest(test: Test, say: (text: string) => void): void {
  const kind = FACTS[test.fact];
  if (!kind) return;
  const numeric = kind.type === "number" || kind.type === "numbers";
  const given = test.is !== undefined ? [test.is] : (test.in ?? []);
  const wanted = numeric ? "number" : kind.type === "flag" ? "boolean" : "string";
  const odd = given.find((value) => typeof value !== wanted);
  if (odd !== undefined) say(`"${test.fact}" is a ${kind.type} and never equals ${JSON.stringify(odd)}`);
  if (!numeric && (test.above !== undefined || test.below !== undefined)) {
    say(`"${test.fact}" is a ${kind.type}, which is never above or below a number`);
  }
  if (test.above !== undefined && test.below !== undefined && test.above >= test.below) {
    say(`nothing is above ${test.above} and below ${test.below}`);
  }
  if (test.matches === undefined) return;
  try {
    new RegExp(test.matches);
  } catch (error) {
    say(`"${test.matches}" is not a pattern: ${(error as Error).message}`);
  }
}

function testsOf(condition: Condition): Test[] {
  if ("all" in condition) return condition.all.flatMap(testsOf);
  if ("any" in condition) return condition.any.flatMap(testsOf);
  if ("not" in condition) return testsOf(condition.not);
  return [condition];
}

function checkTeaching(id: string, step: Step, say: (rule: Problem["rule"]) => Say): void {
  for (const [at, chain] of (step.chains ?? []).entries()) {
    if (!/^5\.[1-5]-[SLFC][1-9]\d*$/.test(chain)) {
      say("chains")(
        ["steps", id, "chains", at],
        `"${chain}" is not a statement of the chains; they are listed in docs/chains.md`,
      );
    }
  }
  for (const [at, correction] of (step.corrections ?? []).entries()) {
    if (!/^([1-9]|1\d|2[0-6])$/.test(String(correction))) {
      say("chains")(
        ["steps", id, "corrections", at],
        `"${correction}" is not a correction; they are listed in docs/chains.md`,
      );
    }
  }
  for (const [at, address] of (step.sources ?? []).entries()) {
    if (!isAddress(address))
      say("source")(["steps", id, "sources", at], `"${address}" is not an address; write https://...`);
  }
}

export function isAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]+\.[^\s]+$/.test(text);
}

/** Whether all targets exist, so that the machine can be compiled. */
function checkTargets(file: Steps, say: (rule: Problem["rule"]) => Say): boolean {
  let whole = true;
  const target = (path: Path, to: string): void => {
    if (Object.hasOwn(file.steps, to)) return;
    whole = false;
    say("missing-step")(path, `there is no step "${to}"; make it, or lead somewhere else`);
  };
  target(["start"], file.start);
  for (const [subcause, to] of Object.entries(file.opens ?? {})) target(["opens", subcause], to);
  for (const [id, step] of Object.entries(file.steps)) {
    for (const [choice, { to }] of Object.entries(step.choices ?? {}))
      target(["steps", id, "choices", choice, "to"], to);
  }
  if (whole && file.steps[file.start]?.phase !== "symptom") {
    say("start")(["start"], `the walk starts at "${file.start}", which is not a symptom step`);
  }
  return whole;
}

/** A cure is cited where it stands, or where a step leads to it. */
function checkCited(file: Steps, source: Source): Problem[] {
  const cited = new Set<string>();
  for (const [id, step] of Object.entries(file.steps)) {
    if (!step.sources?.length) continue;
    cited.add(id);
    for (const { to } of Object.values(step.choices ?? {})) cited.add(to);
  }
  return Object.entries(file.steps).flatMap(([id, { phase }]) => {
    if (phase !== "fix" || cited.has(id)) return [];
    const say = `no source is given for the fix "${id}", nor at a step that leads to it; say where the advice comes from`;
    return [source.problem("source", ["steps", id], say, "key")];
  });
}
