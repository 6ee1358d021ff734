// How well confidence holds, and how well what is fitted does on sentences it has not seen. Part of `eval`.
import type { Rules } from "../diagnose/rules.ts";
import { readWords } from "../diagnose/words.ts";
import type { Scored } from "./score.ts";

export interface Bin {
  from: number;
  to: number;
  cases: number;
  /** Mean confidence given, and share that was right; equal where confidence is calibrated. */
  said: number;
  right: number;
}

const EDGES = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0001];
const FOLDS = 5;

export function reliabilityOf(scored: readonly Scored[]): Bin[] {
  return EDGES.slice(0, -1).flatMap((from, index) => {
    const to = EDGES[index + 1] as number;
    const inside = scored.filter((one) => one.verdict && one.verdict.confidence >= from && one.verdict.confidence < to);
    if (inside.length === 0) return [];
    const said = inside.reduce((sum, one) => sum + (one.verdict?.confidence ?? 0), 0) / inside.length;
    const right = inside.filter((one) => one.right).length / inside.length;
    return [{ from, to: Math.min(to, 1), cases: inside.length, said: round(said), right: round(right) }];
  });
}

export interface WordsFigures {
  sentences: number;
  /** Reports told from chatter. */
  report: number;
  /** Of the reports: the label that the sentence was written for. */
  label: number;
}

/** Each fifth of the sentences is read by what the other four teach. */
export function crossValidateWords(rules: Rules): WordsFigures {
  let read = 0;
  let told = 0;
  let reports = 0;
  let labelled = 0;
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const inFold = (_: unknown, index: number): boolean => index % FOLDS === fold;
    const taught: Rules = { ...rules, words: rules.words.filter((one, index) => !inFold(one, index)) };
    for (const { text, label } of rules.words.filter(inFold)) {
      const words = readWords(text, taught);
      if (!words) continue;
      read += 1;
      if (words.report >= 0.5 === (label !== "none")) told += 1;
      if (label === "none") continue;
      reports += 1;
      if (words.label === label) labelled += 1;
    }
  }
  return { sentences: read, report: round(told / read), label: round(labelled / reports) };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
