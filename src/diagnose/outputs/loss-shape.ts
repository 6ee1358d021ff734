// What a run of losses looks like: calm, a spike that came back, one that did not, a climb, NaN, a jump at a restart.
import { median } from "./said.ts";

export type Shape = "healthy" | "spike-recovered" | "spike-open" | "diverging" | "nan" | "jump" | "too-short";

export interface Shaped {
  shape: Shape;
  /** Index of the first abnormal point, where there is one. */
  first: number | null;
  /** Index of the highest point from there on. */
  peak: number | null;
  /** Median of the points before the first abnormal one. */
  base: number | null;
  /** Median of the last five points after the peak. */
  settled: number | null;
  /** Index of the first point after a restart. */
  resume: number | null;
}

/** Fewer say nothing about a shape. */
const LEAST = 5;
const WINDOW = 50;
const Z = 6;
/** A step above the middle that is too small to matter, however calm the curve was. */
const RISE = 0.1;

/**
 * @param losses NaN where a loss or its gradient was not finite
 * @param restarts indexes of first points after a restart: a mark in the text, or a step that goes back
 */
export function shapeOf(losses: readonly number[], restarts: readonly number[]): Shaped {
  const finite = losses.filter((loss) => Number.isFinite(loss));
  const none = { first: null, peak: null, settled: null, resume: restarts.at(-1) ?? null };
  if (losses.length < LEAST) return { ...none, shape: "too-short", base: finite.length > 0 ? median(finite) : null };
  const nan = losses.findIndex((loss) => !Number.isFinite(loss));
  if (nan >= 0) {
    const before = losses.slice(0, nan);
    return { ...none, shape: "nan", first: nan, base: before.length > 0 ? median(before) : null };
  }
  const jump = restarts.find((at) => at > 1 && at < losses.length && shifted(losses, at));
  if (jump !== undefined) {
    const settled = median(losses.slice(-LEAST));
    return {
      shape: "jump",
      first: jump,
      peak: highest(losses, jump),
      base: median(losses.slice(0, jump).slice(-WINDOW)),
      settled,
      resume: jump,
    };
  }
  const first = losses.findIndex((_, at) => isAbnormal(losses, at));
  if (first < 0) return { ...none, shape: "healthy", base: median(finite) };
  const before = losses.slice(0, first);
  const base = median(before);
  const peak = highest(losses, first);
  const after = losses.slice(peak + 1);
  const settled = after.length > 0 ? median(after.slice(-LEAST)) : null;
  return {
    ...none,
    shape: spikeOf({ losses, first, peak, base, spread: spreadOf(before), settled }),
    first,
    peak,
    base,
    settled,
  };
}

interface Spike {
  losses: readonly number[];
  first: number;
  peak: number;
  base: number;
  spread: number;
  settled: number | null;
}

function spikeOf({ losses, first, peak, base, spread, settled }: Spike): Shape {
  const noise = Math.max(Z * spread, RISE);
  if (settled !== null && settled <= base + noise) return "spike-recovered";
  // A climb: the highest stands among the last points, and it took several to get there.
  const climbs = losses.length - peak <= LEAST && peak - first >= 3;
  const tail = losses.slice(first);
  const rising = tail.filter((loss, at) => at > 0 && loss >= (tail[at - 1] ?? 0)).length >= 0.6 * (tail.length - 1);
  return climbs && rising ? "diverging" : "spike-open";
}

/** Far above what came before it. The first points of a run are still finding their scale and are not judged. */
function isAbnormal(losses: readonly number[], at: number): boolean {
  if (at < 3) return false;
  const before = losses.slice(Math.max(0, at - WINDOW), at);
  const middle = median(before);
  const above = (losses[at] ?? 0) - middle;
  return above > RISE && above > Z * spreadOf(before);
}

/** Robust spread; its floor is one percent, since a smooth curve is not a perfect one. */
function spreadOf(values: readonly number[]): number {
  const middle = median(values);
  return Math.max(1.4826 * median(values.map((one) => Math.abs(one - middle))), 0.01 * Math.abs(middle));
}

function shifted(losses: readonly number[], at: number): boolean {
  const before = losses.slice(0, at).slice(-WINDOW);
  const after = losses.slice(at, at + LEAST);
  if (before.length < 2 || after.length < 2) return false;
  const rise = median(after) - median(before.slice(-LEAST));
  return rise > RISE && rise > 3 * spreadOf(before);
}

function highest(losses: readonly number[], from: number): number {
  let best = from;
  for (let at = from; at < losses.length; at++) if ((losses[at] ?? 0) > (losses[best] ?? 0)) best = at;
  return best;
}
