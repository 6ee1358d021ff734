// A walk as `walk --script --json` prints it. The field names and the texts of `because` are a contract.

import type { EntryLine } from "../case/evidence.ts";
import type { CaseRecord } from "../case/store.ts";
import { type Problem, type State, standsAt, type Walk } from "../case/walk.ts";
import type { LineRef } from "../facts/fact.ts";
import { parseHands } from "../playbook/walk.ts";

/** Longer lists are cut there and counted. */
const LISTED = 50;

type JsonLine = number | { file: string; line: number };

export function toWalkJson(record: CaseRecord, walked: Walk): Record<string, unknown> {
  const names = new Map(
    record.entries.map((entry) => [entry.seq, entry.kind === "paste" ? entry.sources.map(({ name }) => name) : []]),
  );
  const { step } = standsAt(walked);
  return {
    schema: "firstfault/walk/v1",
    playbook: parseHands(step).playbook,
    step,
    outcome: walked.outcome,
    states: walked.states.map((state) => toState(state, names)),
    facts: Object.fromEntries(
      Object.entries(walked.facts).map(([name, { value, lines, entry }]) => [
        name,
        { ...cut("value", value), ...cutLines(lines.map((at) => toLine(at, names.get(entry)))), entry },
      ]),
    ),
    readings: record.entries.flatMap((entry) =>
      entry.kind === "paste" && entry.seq > 0
        ? entry.readings.map((reading) => ({ entry: entry.seq, ...reading }))
        : [],
    ),
    problems: walked.problems.map((problem) => toProblem(problem, names)),
  };
}

type Names = ReadonlyMap<number, readonly string[]>;

function toState({ step, how, answer, lines, choices }: State, names: Names): Record<string, unknown> {
  if (how !== "evidence") return { step, because: how === "answer" ? "answered" : how, answer, choices };
  const because = `answered by evidence lines ${saidLines(lines, names)}`;
  return { step, because, answer, lines: lines.map((at) => toEntryLine(at, names)), choices };
}

/** "7, 9" of the opening log, "3 (entry 2)" of a later paste; pastes are set apart by semicolons. */
function saidLines(lines: readonly EntryLine[], names: Names): string {
  const entries = [...new Set(lines.map((at) => at.entry))];
  return entries
    .map((entry) => {
      const some = lines.filter((at) => at.entry === entry).map((at) => said(toLine(at, names.get(entry))));
      return entry === 0 ? some.join(", ") : `${some.join(", ")} (entry ${entry})`;
    })
    .join("; ");
}

function said(line: JsonLine): string {
  return typeof line === "number" ? String(line) : `${line.file}:${line.line}`;
}

function toLine(at: LineRef, sources: readonly string[] = []): JsonLine {
  return sources.length < 2 ? at.line : { file: sources[at.source] ?? "?", line: at.line };
}

function toEntryLine(at: EntryLine, names: Names): Record<string, unknown> {
  const line = toLine(at, names.get(at.entry));
  return { entry: at.entry, ...(typeof line === "number" ? { line } : line) };
}

function cut(name: string, value: unknown): Record<string, unknown> {
  if (!Array.isArray(value) || value.length <= LISTED) return { [name]: value };
  return { [name]: value.slice(0, LISTED), count: value.length };
}

function cutLines(lines: JsonLine[]): Record<string, unknown> {
  return lines.length <= LISTED ? { lines } : { lines: lines.slice(0, LISTED), count: lines.length };
}

function toProblem(problem: Problem, names: Names): Record<string, unknown> {
  if (problem.kind === "contradicted") {
    const { step, answer, instead } = problem;
    const lines = saidLines(problem.lines, names);
    return { step, say: `${step} was settled as ${answer}, but newer evidence says ${instead} (lines ${lines})` };
  }
  const { step, playbook } = problem;
  if (problem.kind === "no-playbook") return { step, say: `${step} hands the case to ${playbook}, which is not there` };
  return { step, say: `${step} hands the case to ${playbook}, which hands it back` };
}
