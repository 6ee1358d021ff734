// Judges the numbers of training: a spike that recovers, a divergence, a NaN, a jump at a resume, a climbing balance loss.
// Healthy runs look bad too: warm-up, one odd batch, noise of small batches and swinging policy losses end as nothing.

import type { FactValue } from "../facts/fact.ts";
import { balanceCurve } from "./balance.ts";
import { BEGINNING, baseline, fact, median, runsOf } from "./baseline.ts";
import type { Line } from "./lines.ts";
import type { Point, Series } from "./series.ts";

export interface Curve {
  label: "loss-spike" | "expert-imbalance" | "checkpoint-mismatch";
  subcause: string;
  /** The first abnormal line. */
  line: Line;
  /** Other lines that state it as well. */
  also: Line[];
  facts: Record<string, { value: FactValue; lines: Line[] }>;
  /** Strong: no healthy run prints this. */
  strong: boolean;
}

/** Robust score above which a loss is abnormal, and the least step that counts (loss-spike: Q0). */
const Z = 6;
const LEAST_JUMP = 0.1;
const WINDOW = 200;
/** Values between two looks at the baseline of a long run. */
const REFRESH = 50;

export function judgeCurves(series: Series): Curve[] {
  const found: Curve[] = [];
  for (const track of series.tracks()) {
    const resumed = resumeJump(track, series.resumes);
    const nan = resumed ? undefined : firstNaN(track);
    const loss = resumed ?? nan ?? spike(track) ?? turned(track) ?? gradientExplosion(track) ?? nothingLearnt(track);
    if (loss) found.push(loss);
    const balance = balanceCurve(track);
    if (balance) found.push(balance);
  }
  return found;
}

function factsAround(run: readonly Point[], at: number, previous: readonly Point[] = run.slice(0, at)): Curve["facts"] {
  const facts: Curve["facts"] = {};
  const first = run[at];
  if (first?.step != null) facts.step = fact(first.step, first.line);
  const before = previous.findLast((point) => point.loss !== null && Number.isFinite(point.loss));
  if (before) facts.loss_before = fact(before.loss as number, before.line);
  const gradBefore = previous.findLast((point) => point.grad !== null && Number.isFinite(point.grad));
  if (gradBefore) facts.grad_norm_before = fact(gradBefore.grad as number, gradBefore.line);
  const finite = run.filter((point) => point.loss !== null && Number.isFinite(point.loss));
  const peak = highest(finite.slice(first ? Math.max(0, finite.indexOf(first)) : 0), (point) => point.loss);
  if (peak) facts.loss_peak = fact(peak.loss as number, peak.line);
  const gradPeak = highest(run, (point) => point.grad);
  if (gradPeak) facts.grad_norm_peak = fact(gradPeak.grad as number, gradPeak.line);
  const last = finite.at(-1);
  if (last) facts.loss_last = fact(last.loss as number, last.line);
  const stepped = run.filter((point) => point.step !== null);
  if (stepped[0]) facts.step_first = fact(stepped[0].step as number, stepped[0].line);
  const end = stepped.at(-1);
  if (end) facts.step_last = fact(end.step as number, end.line);
  const scale = (first?.scale ?? null) !== null ? first : undefined;
  if (scale && scale.scale !== null && scale.scale !== 1) facts.loss_scale = fact(scale.scale, scale.line);
  return facts;
}

function highest(points: readonly Point[], of: (point: Point) => number | null): Point | undefined {
  let best: Point | undefined;
  for (const point of points) {
    const value = of(point);
    if (value === null || !Number.isFinite(value)) continue;
    if (!best || value > (of(best) as number)) best = point;
  }
  return best;
}

function firstNaN(track: readonly Point[]): Curve | undefined {
  for (const run of runsOf(track).reverse()) {
    const at = run.findIndex((point, index) => isNaNPoint(point, run, index));
    if (at < 0) continue;
    const point = run[at] as Point;
    const masked = point.loss !== null && Number.isFinite(point.loss);
    const subcause = point.lossMissing ? "nan-loss-field-dropped" : masked ? "nan-masked-as-zero" : "nan-loss";
    const facts = factsAround(run, at);
    facts.nan_step = fact(point.step ?? at, point.line);
    facts.loss_fault = fact("nan", point.line);
    delete facts.loss_peak;
    return { label: "loss-spike", subcause, line: point.line, also: [], facts, strong: true };
  }
  return undefined;
}

function isNaNPoint(point: Point, run: readonly Point[], index: number): boolean {
  if (point.loss !== null && Number.isNaN(point.loss)) return true;
  // fp16 finds its scale by skipping the first steps; a loss that was there before and is gone is another thing.
  const normGone = point.grad !== null && Number.isNaN(point.grad);
  if (!point.lossMissing && !normGone) return false;
  const before = run.slice(0, index).some((earlier) => earlier.loss !== null && Number.isFinite(earlier.loss));
  if (point.lossMissing && before) return true;
  return point.loss === 0 || (before && run[index + 1]?.grad != null && Number.isNaN(run[index + 1]?.grad));
}

function losses(run: readonly Point[]): Point[] {
  return run.filter((point) => point.loss !== null && Number.isFinite(point.loss));
}

/** What a logger prints before there is a loss. */
function withoutFirstZeros(run: readonly Point[]): Point[] {
  const first = run.findIndex((point) => point.loss !== 0);
  return first < 0 ? [...run] : run.slice(first);
}

function spike(track: readonly Point[]): Curve | undefined {
  for (const whole of runsOf(track).reverse()) {
    const run = withoutFirstZeros(losses(whole));
    if (run.some((point) => point.policy) || run.some((point) => (point.loss as number) < 0)) continue;
    const values = run.map((point) => point.loss as number);
    const at = firstAbnormal(run, values);
    if (at === undefined) continue;
    const { middle, spread } = baseline(values.slice(Math.max(0, at - WINDOW), at));
    const settled = values.findIndex(
      (value, index) => index > at && value - middle <= Math.max(3 * spread, LEAST_JUMP),
    );
    const peak = Math.max(...values.slice(at, at + 10_000));
    const last = values.at(-1) as number;
    const back = last - middle < 0.25 * (peak - middle);
    const climbing = last - middle > 0.8 * (peak - middle);
    const subcause = settled >= 0 || back ? "spike-with-recovery" : climbing ? "divergence" : "spike-not-recovering";
    const facts = factsAround(run, at);
    facts.loss_fault = fact(subcause === "divergence" ? "divergence" : "spike", run[at]?.line);
    const shape =
      { "spike-with-recovery": "spike-recovered", divergence: "diverging" }[subcause as string] ?? "spike-open";
    facts.loss_shape = fact(shape, run[at]?.line);
    const rose = gradRoseFirst(run, at);
    if (rose !== undefined) facts.grad_norm_rose_first = fact(rose, run[at]?.line);
    const strong = values.length - at >= 2 || peak - middle > 0.5 * middle;
    return { label: "loss-spike", subcause, line: (run[at] as Point).line, also: [], facts, strong };
  }
  return undefined;
}

/** So often in a row noise does not rise, and so high over where it was it does not come. */
const RISES = 3;
const MOST_OF_A_TURN = 200;
const LEAST_RISE = 1;
const MANY_TIMES = 3;

/** A run of few lines that learnt, turned, and rises with every line until the text ends. */
function turned(track: readonly Point[]): Curve | undefined {
  for (const whole of runsOf(track).reverse()) {
    const run = losses(whole);
    if (run.some((point) => point.policy || (point.loss as number) < 0)) continue;
    const values = run.map((point) => point.loss as number);
    const lowest = values.lastIndexOf(Math.min(...values.slice(-MOST_OF_A_TURN)));
    const bottom = values.slice(lowest - 2, lowest + 1);
    const after = values.slice(lowest + 1);
    if (lowest < RISES || after.length < RISES) continue;
    if (after.some((value, index) => value <= (values[lowest + index] as number))) continue;
    const last = after.at(-1) as number;
    if (last < MANY_TIMES * median(bottom) || last - median(bottom) < LEAST_RISE) continue;
    const at = lowest + 1;
    const facts = factsAround(run, at);
    facts.loss_fault = fact("divergence", run[at]?.line);
    facts.loss_shape = fact("diverging", run[at]?.line);
    return {
      label: "loss-spike",
      subcause: "divergence",
      line: (run[at] as Point).line,
      also: [],
      facts,
      strong: true,
    };
  }
  return undefined;
}

function firstAbnormal(run: readonly Point[], values: readonly number[]): number | undefined {
  const fresh = (run[0]?.step ?? Number.POSITIVE_INFINITY) <= BEGINNING;
  const normal: number[] = [];
  let known = { middle: 0, spread: 0 };
  let since = REFRESH;
  for (const [index, value] of values.entries()) {
    // Most values are near the last baseline: it is made anew now and then, and whenever one stands out.
    if (
      normal.length >= 2 &&
      (since >= Math.min(REFRESH, normal.length / 4) || value - known.middle > 2 * known.spread)
    ) {
      known = baseline(normal.slice(-WINDOW));
      since = 0;
      const { middle, spread } = known;
      const few = normal.length < 3 ? 1.5 : 1;
      if (value - middle > Math.max(Z * spread * few, LEAST_JUMP) && !isOneOff(values, index, middle, spread)) {
        if (!fresh || index > BEGINNING || !recoversSoon(values, index, middle)) return index;
      }
    }
    normal.push(value);
    since += 1;
  }
  return undefined;
}

/** One odd batch: the next line is most of the way back, and the lines after it are all the way. */
function isOneOff(values: readonly number[], at: number, middle: number, spread: number): boolean {
  const next = values[at + 1];
  if (next === undefined) {
    // The last line of a paste: one value is no curve, unless it is far out.
    return (values[at] as number) - middle < Math.max(12 * spread, 0.3 * middle);
  }
  const height = (values[at] as number) - middle;
  const after = values.slice(at + 1, at + 6).filter((value) => value - middle > Math.max(3 * spread, 0.35 * height));
  return next - middle < 0.35 * height && after.length === 0;
}

function recoversSoon(values: readonly number[], at: number, middle: number): boolean {
  return values.slice(at + 1, at + 1 + BEGINNING * 2).some((value) => value <= middle);
}

function gradRoseFirst(run: readonly Point[], at: number): boolean | undefined {
  const grads = run.slice(Math.max(0, at - WINDOW), at).map((point) => point.grad);
  const known = grads.filter((grad): grad is number => grad !== null && Number.isFinite(grad));
  if (known.length < 6) return undefined;
  const recent = median(known.slice(-3));
  return recent >= 2 * median(known.slice(0, -3));
}

/** For policies, whose loss says little: the gradient norm leaves its range for good. */
function gradientExplosion(track: readonly Point[]): Curve | undefined {
  for (const run of runsOf(track).reverse()) {
    const known = run.filter((point) => point.grad !== null && Number.isFinite(point.grad));
    if (!known.some((point) => point.policy)) continue;
    const grads = known.map((point) => point.grad as number);
    for (let at = 3; at < grads.length; at += 1) {
      const middle = median(grads.slice(Math.max(0, at - WINDOW), at));
      const rest = grads.slice(at, at + 3);
      if (rest.length < 3 || !rest.every((grad) => grad > 10 * middle)) continue;
      if ((grads.at(-1) as number) < 5 * middle) continue;
      const facts = factsAround(known, at);
      for (const name of ["loss_before", "loss_peak", "loss_last"]) delete facts[name];
      facts.loss_fault = fact("divergence", known[at]?.line);
      return {
        label: "loss-spike",
        subcause: "rl-gradnorm-explosion",
        line: (known[at] as Point).line,
        also: [],
        facts,
        strong: true,
      };
    }
  }
  return undefined;
}

/** So many lines in a row are no rounding. */
const ZEROS = 5;

/** Loss and gradient are zero on every line: nothing is learnt, often since a NaN is printed so or every label is masked. */
function nothingLearnt(track: readonly Point[]): Curve | undefined {
  const known = track.filter((point) => point.loss !== null && point.grad !== null);
  const first = known[0];
  // Where all rewards of a group agree both are zero by right.
  if (!first || known.length < ZEROS || known.some(({ policy, line }) => policy || /reward|\bkl\b/i.test(line.raw)))
    return undefined;
  if (known.some(({ loss, grad }) => loss !== 0 || grad !== 0)) return undefined;
  const facts = factsAround(known, 0);
  return { label: "loss-spike", subcause: "nan-masked-as-zero", line: first.line, also: [], facts, strong: false };
}

/** The loss is off on the first lines after a resume: something was not restored. */
function resumeJump(track: readonly Point[], resumes: readonly Line[]): Curve | undefined {
  const points = losses(track).filter((point) => !point.policy);
  for (const resume of resumes) {
    const cut = points.findIndex((point) => isAfter(point.line, resume));
    if (cut < 2) continue;
    const before = points.slice(Math.max(0, cut - 20), cut);
    const after = points.slice(cut, cut + 3);
    const first = after[0];
    if (!first || before.some((point) => point.line.source !== first.line.source)) continue;
    const { middle, spread } = baseline(before.map((point) => point.loss as number));
    const jump = (first.loss as number) - middle;
    if (jump <= Math.max(Z * spread, LEAST_JUMP, 0.1 * middle)) continue;
    if (after.length > 1 && (after[1]?.loss as number) - middle < 0.2 * jump) continue;
    const facts = factsAround(points, cut, before);
    facts.loss_after = fact(first.loss as number, first.line);
    facts.loss_fault = fact("resume-jump", first.line);
    facts.load_failure = fact("drifts", first.line);
    return {
      label: "checkpoint-mismatch",
      subcause: "resume-state-not-restored",
      line: first.line,
      also: [resume],
      facts,
      strong: true,
    };
  }
  return undefined;
}

function isAfter(line: Line, other: Line): boolean {
  return line.source === other.source && line.line > other.line;
}
