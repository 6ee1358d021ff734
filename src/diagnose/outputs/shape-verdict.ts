// What the differences between two lists of shapes have in common: a cut over other ranks, a padded vocabulary, another model.
import { median } from "./said.ts";

export interface Pair {
  key: string;
  saved: number[];
  model: number[];
  /** A whole tensor's shape, not a rank's part of it. */
  global: boolean;
  lines: number[];
}

export type ShapeKind = "parallel-split" | "vocab-padding" | "model-config" | "mixed";

export interface ShapeVerdict {
  kind: ShapeKind;
  /** The dimension that differs, and checkpoint over model there; null where they are not the same in all pairs. */
  dim: number | null;
  ratio: number | null;
}

const VOCABULARY = /embed|lm_head|output_layer|output\.weight|\bwte\b|\btok|vocab|logit/i;
/** Norms are whole on every rank. */
const NORM = /norm|\bln_?[f\d]|\bln\b/i;
/** Vocabularies are padded to a multiple; more than this is another vocabulary. */
const PADDING = 0.02;

export function judgePairs(pairs: readonly Pair[]): ShapeVerdict {
  const differences = pairs.map(differenceOf);
  const same = <T>(values: readonly T[]): T | null =>
    values.length > 0 && values.every((one) => one === values[0]) ? (values[0] ?? null) : null;
  const dim = same(differences.map((one) => one?.dim ?? null));
  const ratios = differences.map((one) => one?.ratio ?? null);
  const middle = median(ratios.flatMap((one) => one ?? []));
  const alike = ratios.every((one) => one !== null && Math.abs(one - middle) <= 1e-6 * middle);
  return { kind: kindOf(pairs), dim, ratio: alike && pairs.length > 0 ? middle : null };
}

/** Null where the shapes differ in more than one dimension, or in the number of dimensions. */
function differenceOf({ saved, model }: Pair): { dim: number; ratio: number } | null {
  const dims = changesOf(saved, model);
  const [dim] = dims;
  if (dim === undefined || dims.length > 1 || saved.length !== model.length) return null;
  const ratio = (saved[dim] ?? 0) / (model[dim] ?? 0);
  return Number.isFinite(ratio) && ratio > 0 ? { dim, ratio } : null;
}

function changesOf(saved: readonly number[], model: readonly number[]): number[] {
  return saved.flatMap((size, dim) => (size === model[dim] ? [] : [dim]));
}

function kindOf(pairs: readonly Pair[]): ShapeKind {
  const kinds = pairs.map((pair) => (isPadding(pair) ? "vocabulary" : isSplit(pair) ? "split" : "other"));
  if (kinds.every((kind) => kind === "split")) return "parallel-split";
  if (kinds.every((kind) => kind === "vocabulary")) return "vocab-padding";
  if (kinds.includes("split") && kinds.includes("vocabulary")) return "mixed";
  return isConsistent(pairs) ? "model-config" : "mixed";
}

function isPadding(pair: Pair): boolean {
  const difference = differenceOf(pair);
  return (
    difference !== null && difference.dim === 0 && VOCABULARY.test(pair.key) && Math.abs(difference.ratio - 1) < PADDING
  );
}

/** One dimension, by a whole factor, in what a rank holds of a tensor. */
function isSplit(pair: Pair): boolean {
  const difference = differenceOf(pair);
  if (difference === null || pair.global || NORM.test(pair.key)) return false;
  const factor = Math.max(difference.ratio, 1 / difference.ratio);
  return factor > 1.5 && Math.abs(factor - Math.round(factor)) < 1e-9;
}

/** Another model: wherever the checkpoint has one size, the model has one and the same other. */
function isConsistent(pairs: readonly Pair[]): boolean {
  if (pairs.some(({ saved, model }) => saved.length !== model.length)) return false;
  const sizes = new Map<number, number>();
  for (const { saved, model } of pairs) {
    for (const [dim, size] of saved.entries()) {
      const other = model[dim] ?? size;
      if (other === size) continue;
      if ((sizes.get(size) ?? other) !== other) return false;
      sizes.set(size, other);
    }
  }
  return true;
}
