// The verdict as `diagnose --json` prints it: lines collapse to numbers where there is one source.
import type { Verdict } from "../diagnose/verdict-type.ts";
import type { FactValue, LineRef } from "../facts/fact.ts";

const MOST = 50;

export interface Extra {
  /** "oom#where"; null with label none. */
  start: string | null;
  receipt: string;
}

export function toJson(verdict: Verdict, { start, receipt }: Extra): Record<string, unknown> {
  const { cascade, input } = verdict;
  const root = verdict.root ?? verdict.said;
  const single = input.sources.length <= 1;
  const line = (at: LineRef): unknown => (single ? at.line : { file: input.sources[at.source] ?? "", line: at.line });
  const place = (at: LineRef): Record<string, unknown> =>
    single ? { line: at.line } : { file: input.sources[at.source] ?? "", line: at.line };
  return {
    schema: "firstfault/diagnosis/v1",
    label: verdict.label,
    status: verdict.status,
    confidence: verdict.confidence,
    evidence: verdict.evidence,
    playbook: verdict.playbook,
    start,
    subcause: verdict.subcause,
    secondary: verdict.secondary.map(({ label, lines }) => ({ label, ...cut(lines.map(line), "lines") })),
    root: root && {
      ...place(root.at),
      rank: root.rank,
      host: root.host,
      time: root.time,
      utc: root.utc,
      role: root.role,
      quote: root.quote,
    },
    cascade: cascade && {
      victims: cascade.victims,
      late: cascade.late,
      missing: cascade.missing,
      first_to_last_s: cascade.first_to_last_s,
      why: cascade.why.en,
    },
    facts: factsJson(verdict.facts, line),
    runner_up: verdict.runner_up && {
      label: verdict.runner_up.label,
      would_separate: verdict.runner_up.would_separate.en,
    },
    clock: verdict.clock?.en ?? null,
    would_tell: verdict.would_tell?.en ?? null,
    input: { ...input, sources: input.sources.length },
    receipt,
  };
}

/** Facts as JSON gives them: of more than fifty values or lines the first fifty, with their `count`. */
export function factsJson<At>(
  facts: Record<string, { value: FactValue; lines: readonly At[] }>,
  line: (at: At) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => {
      const value: { value: FactValue; count?: number } = { value: fact.value };
      if (Array.isArray(fact.value) && fact.value.length > MOST) {
        value.value = fact.value.slice(0, MOST);
        value.count = fact.value.length;
      }
      const lines = cut(fact.lines.map(line), "lines");
      return [name, { ...value, ...lines, ...(value.count === undefined ? {} : { count: value.count }) }];
    }),
  );
}

function cut(values: unknown[], name: string): Record<string, unknown> {
  return values.length > MOST ? { [name]: values.slice(0, MOST), count: values.length } : { [name]: values };
}
