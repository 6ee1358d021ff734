// What the judges of curves share: runs of one text, a robust baseline, facts with their lines.
import type { FactValue } from "../facts/fact.ts";
import type { Line } from "./lines.ts";
import type { Point } from "./series.ts";

/** A run that has only begun is still finding its scale. */
export const BEGINNING = 30;

/** Runs in one text: a step that goes back begins another. */
export function runsOf(track: readonly Point[]): Point[][] {
  const runs: Point[][] = [];
  let run: Point[] = [];
  let last: number | null = null;
  for (const point of track) {
    if (point.step !== null && last !== null && point.step < last && run.length > 0) {
      runs.push(run);
      run = [];
    }
    run.push(point);
    last = point.step ?? last;
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? high) + high) / 2;
}

/** Median and robust spread of what came before; the spread has a floor, since a smooth curve is not a perfect one. */
export function baseline(values: readonly number[]): { middle: number; spread: number } {
  const middle = median(values);
  const mad = median(values.map((value) => Math.abs(value - middle)));
  return { middle, spread: Math.max(1.4826 * mad, 0.01 * Math.abs(middle), 1e-3) };
}

export function fact(value: FactValue, ...lines: (Line | undefined)[]): { value: FactValue; lines: Line[] } {
  return { value, lines: lines.filter((line) => line !== undefined) };
}
