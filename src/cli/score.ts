// Scores verdicts against labels. Pure arithmetic; what each figure means is fixed in docs/evaluation.md.
import type { Verdict } from "../diagnose/verdict-type.ts";
import { FACTS } from "../facts/catalogue.ts";
import type { FactValue } from "../facts/fact.ts";
import { type Labelled, labelIsRight } from "./labels.ts";

export interface Scored {
  labelled: Labelled;
  /** null where reading it threw: a crash. */
  verdict: Verdict | null;
  label: string;
  right: boolean;
  rootRight: boolean | null;
  cascadeRight: boolean | null;
  facts: { name: string; expected: unknown; got: unknown; right: boolean }[];
}

export interface Figures {
  macroF1: number;
  accuracy: number;
  rootLine: number;
  cascade: number;
  facts: number;
  confidentWrong: number;
  rightAndConfident: number;
  noneRecall: number;
}

export interface LabelFigures {
  cases: number;
  precision: number;
  recall: number;
  f1: number;
}

const CONFIDENT = 0.8;
const TOLERANCE = 0.006;

export function scoreCase(labelled: Labelled, verdict: Verdict | null): Scored {
  const label = verdict?.label ?? "crash";
  const right = labelIsRight(labelled, label);
  const rootRight = labelled.rootLines.length === 0 || !verdict ? null : isRootRight(labelled, verdict);
  const facts = verdict ? scoreFacts(labelled.evidence, verdict) : [];
  const rank = facts.find((fact) => fact.name === "rank");
  const isCascade = labelled.secondary.includes("nccl-timeout");
  return {
    labelled,
    verdict,
    label,
    right,
    rootRight,
    cascadeRight: isCascade ? right && rootRight !== false && rank?.right !== false : null,
    facts,
  };
}

function isRootRight(labelled: Labelled, verdict: Verdict): boolean {
  const { input } = verdict;
  const root = verdict.root ?? verdict.said;
  if (!root) return false;
  const file = input.sources[root.at.source] ?? "";
  return labelled.rootLines.some(
    (one) => Math.abs(one.line - root.at.line) <= 1 && (one.file === undefined || file.endsWith(one.file)),
  );
}

function scoreFacts(evidence: Record<string, unknown>, verdict: Verdict): Scored["facts"] {
  return Object.entries(evidence)
    .filter(([name]) => Object.hasOwn(FACTS, name))
    .map(([name, expected]) => {
      const got = verdict.facts[name]?.value ?? converted(name, verdict);
      return { name, expected, got, right: isSame(expected, got) };
    });
}

function converted(name: string, verdict: Verdict): number | undefined {
  const other = name.endsWith("_gib")
    ? [name.replace(/gib$/, "mib"), 1 / 1024]
    : name.endsWith("_mib")
      ? [name.replace(/mib$/, "gib"), 1024]
      : [];
  const value = verdict.facts[String(other[0])]?.value;
  return typeof value === "number" ? value * Number(other[1]) : undefined;
}

export function isSame(expected: unknown, got: FactValue | undefined): boolean {
  if (got === undefined) return false;
  if (Array.isArray(expected)) {
    if (!Array.isArray(got)) return expected.length === 1 && isSame(expected[0], got);
    const left = new Set(expected.map(String));
    return left.size === new Set(got.map(String)).size && got.every((one) => left.has(String(one)));
  }
  if (typeof expected === "number") {
    const value = typeof got === "number" ? got : Number.NaN;
    return expected === value || Math.abs(expected - value) <= TOLERANCE * Math.abs(expected);
  }
  return String(expected).trim() === String(got).trim();
}

export function figuresOf(scored: readonly Scored[]): { figures: Figures; labels: Record<string, LabelFigures> } {
  const labels: Record<string, LabelFigures> = {};
  for (const label of new Set(scored.map((one) => one.labelled.primary))) labels[label] = labelFigures(scored, label);
  const f1 = Object.values(labels).map((one) => one.f1);
  const rights = scored.filter((one) => one.right);
  const confident = (one: Scored): boolean => (one.verdict?.confidence ?? 1) >= CONFIDENT;
  const facts = scored.flatMap((one) => one.facts);
  const nones = scored.filter((one) => one.labelled.primary === "none");
  return {
    labels,
    figures: {
      macroF1: share(
        f1.reduce((sum, one) => sum + one, 0),
        f1.length,
      ),
      accuracy: share(rights.length, scored.length),
      rootLine: shareOf(scored.map((one) => one.rootRight)),
      cascade: shareOf(scored.map((one) => one.cascadeRight)),
      facts: share(facts.filter((fact) => fact.right).length, facts.length),
      confidentWrong: share(scored.filter((one) => !one.right && confident(one)).length, scored.length, 0),
      rightAndConfident: share(rights.filter(confident).length, rights.length),
      noneRecall: share(nones.filter((one) => one.right).length, nones.length),
    },
  };
}

/** A label among `also` counts as the primary. */
function labelFigures(scored: readonly Scored[], label: string): LabelFigures {
  const given = (one: Scored): string => (one.right ? one.labelled.primary : one.label);
  const cases = scored.filter((one) => one.labelled.primary === label);
  const hit = cases.filter((one) => one.right).length;
  const said = scored.filter((one) => given(one) === label).length;
  const precision = share(hit, said, 0);
  const recall = share(hit, cases.length);
  return {
    cases: cases.length,
    precision,
    recall,
    f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
  };
}

function shareOf(values: readonly (boolean | null)[]): number {
  const known = values.filter((value) => value !== null);
  return share(known.filter(Boolean).length, known.length);
}

function share(part: number, whole: number, none = 1): number {
  return whole === 0 ? none : Math.round((part / whole) * 10_000) / 10_000;
}
