// How long the logged steps took: seconds per step, floating-point rate and MFU, as each framework prints them.
//   iteration 5400/ 60000 | … | elapsed time per iteration (ms): 6892.7 | throughput per GPU (TFLOP/s/GPU): 240.1 | …
//   step: 410  loss:  2.7012  memory: 61.20GiB(77.30%)  tps: 3,421  tflops: 402.11  mfu: 40.66%
import type { OutputText } from "./output-text.ts";
import { median } from "./said.ts";

interface Timed {
  line: number;
  /** Time, or what is in proportion to it. */
  time: number;
}

export interface StepTimes {
  /** Medians of the first steps, without the very first, and of the last; null where only rates are printed. */
  baseS: number | null;
  lastS: number | null;
  /** How much longer the last steps take than the first. */
  slowdown: number;
  /** Of all but the first, those far above the ones around them. */
  slowPct: number;
  tflops: number | null;
  mfuPct: number | null;
  first: number;
  last: number;
}

/** Fewer say nothing of a change; the first step of a run compiles and fills caches. */
const LEAST = 8;
const SIDE = 5;
/** A step that takes so many times the middle of those around it stalled. */
const STALL = 1.5;
const AROUND = 3;

const NUMBER = "(\\d{1,12}(?:\\.\\d{1,12})?)";
const SECONDS: readonly (readonly [RegExp, number])[] = [
  [new RegExp(`elapsed time per iteration \\(ms\\): ${NUMBER}`), 1e-3],
  [new RegExp(`\\biter time \\(s\\): ${NUMBER}`), 1],
  [new RegExp(`train_step_timing in s: ${NUMBER}`), 1],
  [new RegExp(`\\bstep_?time(?:_s)?[:=] ?${NUMBER} ?s?\\b`), 1],
];
const RATE = /\btps: (\d{1,3}(?:,\d{3}){1,4}|\d{1,12}(?:\.\d{1,6})?)/;
const TFLOPS = new RegExp(`(?:throughput per GPU \\(TFLOP/s/GPU\\)|\\btflops): ${NUMBER}`);
const MFU = new RegExp(`\\bmfu:? {0,4}${NUMBER} ?%`, "i");

/** Of the lines that hold a step; null where too few tell how long it took. */
export function stepTimesOf({ lines }: OutputText, steps: readonly number[]): StepTimes | null {
  const rows = steps.flatMap((line) => {
    const text = lines[line - 1]?.text.slice(0, 4_000);
    return text === undefined ? [] : [{ line, text }];
  });
  const seconds = rows.flatMap(({ line, text }): Timed[] => {
    for (const [pattern, unit] of SECONDS) {
      const found = Number(pattern.exec(text)?.[1]) * unit;
      if (found > 0) return [{ line, time: found }];
    }
    return [];
  });
  const rates = rows.flatMap(({ line, text }): Timed[] => {
    const rate = Number(RATE.exec(text)?.[1]?.replaceAll(",", ""));
    return rate > 0 ? [{ line, time: 1 / rate }] : [];
  });
  const timed = seconds.length >= LEAST ? seconds : rates;
  if (timed.length < LEAST) return null;
  const times = timed.map(({ time }) => time);
  const [base, end] = [median(times.slice(1, 1 + SIDE)), median(times.slice(-SIDE))];
  const stalled = times.filter(
    (time, at) => at > 0 && time > STALL * median(times.slice(Math.max(0, at - AROUND), at + AROUND + 1)),
  ).length;
  const ends = rows.slice(-SIDE);
  return {
    baseS: timed === seconds ? base : null,
    lastS: timed === seconds ? end : null,
    slowdown: end / base,
    slowPct: (100 * stalled) / (times.length - 1),
    tflops: middleOf(ends, TFLOPS),
    mfuPct: middleOf(ends, MFU),
    first: timed[0]?.line ?? 1,
    last: timed.at(-1)?.line ?? 1,
  };
}

function middleOf(rows: readonly { text: string }[], pattern: RegExp): number | null {
  const all = rows.flatMap(({ text }) => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? [] : [Number(found)];
  });
  return all.length === 0 ? null : median(all);
}
