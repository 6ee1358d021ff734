// Where playbooks meet logs: hit logs are won against all, miss logs are not, and walks lead where they say.
import * as z from "zod";
import { diagnose } from "../diagnose/diagnose.ts";
import type { Rules } from "../diagnose/rules.ts";
import type { Verdict } from "../diagnose/verdict-type.ts";
import type { Folder } from "../playbook/check.ts";
import type { Problem } from "../playbook/problem.ts";
import { Outcome, type Playbook } from "../playbook/schema.ts";
import { readSource, type Source } from "../playbook/source.ts";
import { readPasted } from "./pasted-output.ts";
import { factsOf, readingsOf } from "./reading.ts";
import { readsAt } from "./replay.ts";
import { type Playbooks, standsAt, type Walk, type WalkEntry, walk } from "./walk.ts";

export interface ToCheck {
  folder: Folder;
  playbook: Playbook;
}

export interface CheckWith {
  /** All playbooks: a hit log is won against every other one. */
  playbooks: Playbooks;
  rules: Rules;
}

export interface CheckedLogs {
  problems: Problem[];
  /** A branch is a (step, choice); tested is one that some walk passes. */
  branches: { total: number; tested: number };
}

export function checkLogs(all: readonly ToCheck[], given: CheckWith): CheckedLogs {
  const passed = new Set<string>();
  const problems = all.flatMap(({ folder, playbook }) => [
    ...checkHits(folder, playbook, given.rules),
    ...checkWalks(folder, playbook, given, passed),
  ]);
  problems.push(...all.flatMap((one) => checkBranches(one, passed)));
  const branches = all.flatMap(({ playbook }) => branchesOf(playbook));
  return { problems, branches: { total: branches.length, tested: branches.filter((one) => passed.has(one)).length } };
}

function branchesOf({ id, steps }: Playbook): string[] {
  return Object.entries(steps).flatMap(([step, { choices }]) =>
    Object.keys(choices ?? {}).map((choice) => `${id}#${step} ${choice}`),
  );
}

/** A stable playbook has a walk through each of its branches. */
function checkBranches({ folder, playbook }: ToCheck, passed: ReadonlySet<string>): Problem[] {
  if (playbook.status !== "stable") return [];
  const source = readSource(`${folder.path}/playbook.yaml`, folder.files["playbook.yaml"] ?? "");
  return branchesOf(playbook)
    .filter((branch) => !passed.has(branch))
    .map((branch) => {
      const [at = "", choice = ""] = branch.split(" ");
      const step = at.slice(playbook.id.length + 1);
      const say = `no walk of this playbook's tests takes "${choice}" at ${step}; add one, or make it a draft`;
      return source.problem("untested", ["steps", step, "choices", choice], say);
    });
}

function checkHits(folder: Folder, { id, label }: Playbook, rules: Rules): Problem[] {
  return Object.entries(folder.files).flatMap(([name, text]): Problem[] => {
    const kind = /^logs\/(hit|miss)-/.exec(name)?.[1];
    if (!kind) return [];
    const verdict = diagnose(text, rules);
    const won = verdict.playbook === id && verdict.label === label;
    if (won === (kind === "hit")) return [];
    const at = { file: `${folder.path}/${name}`, line: verdict.root?.at.line ?? 1, col: 1 };
    const got = `${verdict.label}${verdict.subcause === null ? "" : ` (${verdict.subcause})`}`;
    if (kind === "hit") {
      return [{ ...at, rule: "hit-log", say: `is diagnosed as ${got}, not as ${id}; mend the signatures or the log` }];
    }
    return [
      { ...at, rule: "miss-log", say: `is won by ${id}, which it only looks like; mend the signatures or the log` },
    ];
  });
}

const Entry = z.union([
  z.strictObject({ answer: z.string() }),
  z.strictObject({ paste: z.string() }),
  z.strictObject({ back: z.literal(true) }),
]);

const WalkFile = z.strictObject({
  log: z.string().optional(),
  entries: z.array(Entry),
  expect: z.strictObject({ steps: z.array(z.string()).min(1), outcome: Outcome.nullable() }),
});
type WalkFile = z.infer<typeof WalkFile>;

function checkWalks(folder: Folder, playbook: Playbook, given: CheckWith, passed: Set<string>): Problem[] {
  return Object.entries(folder.files).flatMap(([name, text]): Problem[] => {
    if (!/^walks\/.*\.ya?ml$/.test(name)) return [];
    const source = readSource(`${folder.path}/${name}`, text);
    if (source.problems.length > 0) return source.problems;
    const parsed = WalkFile.safeParse(source.value);
    if (!parsed.success) {
      return parsed.error.issues.map(({ path, message }) =>
        source.problem("walk", path, `${path.join(".")}: ${message}`),
      );
    }
    return checkWalk(parsed.data, source, { folder, playbook }, given, passed);
  });
}

function checkWalk(
  file: WalkFile,
  source: Source,
  { folder, playbook }: ToCheck,
  given: CheckWith,
  passed: Set<string>,
): Problem[] {
  const log = file.log === undefined ? null : logOf(file.log, folder);
  if (log === undefined) return [source.problem("walk", ["log"], `there is no ${file.log} beside this walk`)];
  const opened = open(log, playbook, given);
  if (!opened) return [source.problem("walk", ["log"], "this log shows no sign of a failure, so no walk opens")];
  const { opening, entries } = opened;
  for (const [index, entry] of file.entries.entries()) {
    const { step, choices } = standsAt(walk(opening, entries));
    if ("answer" in entry && !choices.includes(entry.answer)) {
      const say = `"${entry.answer}" is not a choice of ${step}; choices: ${choices.join(", ") || "none"}`;
      return [source.problem("walk", ["entries", index], say)];
    }
    entries.push(toWalkEntry(entry, { number: index + 1, step }, given));
  }
  const walked = walk(opening, entries);
  for (const { step, answer } of walked.states) if (answer !== undefined) passed.add(`${step} ${answer}`);
  return compare(walked, file, source, playbook.id);
}

function logOf(path: string, folder: Folder): string | undefined {
  return folder.files[path.replace(/^(?:\.\.\/)?(?:\.\/)?/, "")];
}

function open(log: string | null, playbook: Playbook, { playbooks, rules }: CheckWith) {
  const verdict: Verdict | null = log === null ? null : diagnose(log, rules);
  const id = verdict ? verdict.playbook : playbook.id;
  if (id === null || !playbooks.has(id)) return undefined;
  const root = verdict?.root?.at;
  const opening = {
    playbooks,
    playbook: id,
    subcause: verdict?.subcause ?? null,
    lines: root ? [{ entry: 0, ...root }] : [],
  };
  const entries: WalkEntry[] = verdict ? [{ kind: "paste", entry: 0, facts: factsOf(verdict, []) }] : [];
  return { opening, entries };
}

function toWalkEntry(
  entry: z.infer<typeof Entry>,
  { number, step }: { number: number; step: string },
  { playbooks, rules }: CheckWith,
): WalkEntry {
  if ("back" in entry) return { kind: "back", entry: number };
  if ("answer" in entry) return { kind: "answer", entry: number, choice: entry.answer };
  const outputs = readPasted([entry.paste], readsAt(step, playbooks));
  return { kind: "paste", entry: number, facts: readingsOf(diagnose(entry.paste, rules), outputs).facts };
}

function compare(walked: Walk, { expect }: WalkFile, source: Source, id: string): Problem[] {
  const steps = walked.states.map((state) => state.step);
  const expected = expect.steps.map((step) => (step.includes("#") ? step : `${id}#${step}`));
  const differs = expected.findIndex((step, index) => step !== steps[index]);
  const at = differs >= 0 ? differs : steps.length > expected.length ? expected.length - 1 : -1;
  const problems: Problem[] = [];
  if (at >= 0) problems.push(source.problem("walk", ["expect", "steps", at], `the walk goes: ${steps.join(", ")}`));
  if (walked.outcome !== expect.outcome) {
    problems.push(source.problem("walk", ["expect", "outcome"], `the walk ends ${walked.outcome ?? "open"}`));
  }
  return problems;
}
