// How well confidence holds, and how well what is fitted does on sentences it has not seen. Part of `eval`.
import type { Rules } from "../diagnose/rules.ts";
import { readWords, type Words } from "../diagnose/words.ts";
import type { Label } from "../facts/signature.ts";
import type { Scored } from "./score.ts";

export interface Bin {
  from: number;
  to: number;
  cases: number;
  /** Mean confidence given, and share that was right; equal where confidence is calibrated. */
  said: number;
  right: number;
}

export const FOLDS = 5;
const EDGES = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0001];

export function reliabilityOf(scored: readonly Scored[]): Bin[] {
  return binsOf(
    scored.flatMap(({ verdict, right }) => (verdict ? [{ said: verdict.confidence, right, weight: 1 }] : [])),
  );
}

/** The number of cases is that of what was given; their weights count in the means. */
export function binsOf(all: readonly { said: number; right: boolean; weight: number }[]): Bin[] {
  return EDGES.slice(0, -1).flatMap((from, index) => {
    const to = EDGES[index + 1] as number;
    const inside = all.filter(({ said }) => said >= from && said < to);
    if (inside.length === 0) return [];
    const whole = inside.reduce((sum, one) => sum + one.weight, 0) || 1;
    const said = inside.reduce((sum, one) => sum + one.weight * one.said, 0) / whole;
    const right = inside.reduce((sum, one) => sum + (one.right ? one.weight : 0), 0) / whole;
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

export interface ReadSentence {
  words: Words;
  /** What it was written for. */
  label: Label;
  fold: number;
}

/** It takes seconds, and the rules stay the same. */
const folded = new WeakMap<Rules, ReadSentence[]>();

/** Each fifth of the sentences, read by what the other four teach. */
export function readInFolds(rules: Rules): ReadSentence[] {
  const read = folded.get(rules) ?? readAnew(rules);
  folded.set(rules, read);
  return read;
}

function readAnew(rules: Rules): ReadSentence[] {
  return Array.from({ length: FOLDS }, (_, fold) => {
    const inFold = (_: unknown, index: number): boolean => index % FOLDS === fold;
    const taught: Rules = { ...rules, words: rules.words.filter((one, index) => !inFold(one, index)) };
    return rules.words.filter(inFold).flatMap(({ text, label }) => {
      const words = readWords(text, taught);
      return words ? [{ words, label, fold }] : [];
    });
  }).flat();
}

export function wordsFigures(read: readonly ReadSentence[]): WordsFigures {
  const told = read.filter(({ words, label }) => words.report >= 0.5 === (label !== "none"));
  const reports = read.filter(({ label }) => label !== "none");
  const labelled = reports.filter(({ words, label }) => words.label === label);
  return {
    sentences: read.length,
    report: round(told.length / read.length),
    label: round(labelled.length / reports.length),
  };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
