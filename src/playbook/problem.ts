// An authoring mistake: where it stands, which rule it breaks, what to do.

export interface Problem {
  file: string;
  line: number;
  col: number;
  rule: Rule;
  say: string;
}

/** What a playbook may not run with: it is left out until mended. The other mistakes are named by `playbook check` only. */
const BREAKING = [
  "folder",
  "yaml",
  "schema",
  "step-kind",
  "missing-step",
  "missing-text",
  "dead-end",
  "pattern",
  "exponential",
  "literal",
  "unknown-fact",
  "condition",
] as const;

const OTHER = [
  "start",
  "unreached-step",
  "unverified",
  "missing-playbook",
  "place",
  "reads",
  "script",
  "risk",
  "source",
  "seen-line",
  "slow-start",
  "subcause",
  "keys",
  "too-long",
  "stable",
  "chains",
  "words",
  "stray-file",
  "hit-log",
  "miss-log",
  "walk",
  "untested",
] as const;

export type Rule = (typeof BREAKING)[number] | (typeof OTHER)[number];

const breaking: ReadonlySet<string> = new Set(BREAKING);

export function breaks(problem: Problem): boolean {
  return breaking.has(problem.rule);
}

/** `file:line:col: what is wrong, and what to do [rule]`, as editors and people read it. */
export function toLine(problem: Problem): string {
  return `${problem.file}:${problem.line}:${problem.col}: ${problem.say} [${problem.rule}]`;
}
