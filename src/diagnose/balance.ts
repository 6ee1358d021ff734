// Judges how evenly experts are loaded over the steps of a run: a balance loss or violation that climbs, or no longer measures.
import { BEGINNING, fact, median, runsOf } from "./baseline.ts";
import type { Curve } from "./curves.ts";
import type { Point } from "./series.ts";

/** Judged by its ratio to the run's own baseline: the absolute value depends on formula and coefficient. */
const CLIMB = 1.15;
/** The busiest expert's load over the mean of all. */
const UNEVEN = 4;

export function balanceCurve(track: readonly Point[]): Curve | undefined {
  for (const run of runsOf(track).reverse()) {
    const curve =
      climb(run, (point) => point.balance, { least: 1.4, name: "load_balancing_loss", subcause: "aux-loss-climb" }) ??
      climb(run, (point) => point.maxVio, { least: 3, name: "max_vio", subcause: "max-violation-climb" }) ??
      climb(run, (point) => point.maxLoad, { least: 2.5, name: "max_over_mean", subcause: "max-violation-climb" }) ??
      collapseOfBalance(run);
    if (curve) return curve;
  }
  return undefined;
}

interface Climb {
  least: number;
  name: string;
  subcause: string;
}

/** Points after the beginning that make a curve of their own. */
const ENOUGH = 30;

function climb(
  run: readonly Point[],
  of: (point: Point) => number | null,
  { least, name, subcause }: Climb,
): Curve | undefined {
  const all = run.filter((point) => of(point) !== null && Number.isFinite(of(point)));
  const begun = all.filter((point) => point.step !== null && point.step > BEGINNING);
  // What a run does once it has begun is judged by itself, where there is enough of it.
  const known = begun.length >= ENOUGH ? begun : all;
  if (known.length < 5) return undefined;
  const values = known.map((point) => of(point) as number);
  const base = median(values.slice(0, 3));
  const late = median(values.slice(-3));
  if (base <= 0 || late < least * base) return undefined;
  if (name === "max_vio" && late < 1) return undefined;
  // A router that has only begun is still uneven, but not four times its share for good.
  const fresh = (known[0]?.step ?? BEGINNING + 1) <= BEGINNING;
  if (fresh && !(name !== "load_balancing_loss" && known.length >= 10 && late >= 4)) return undefined;
  const rises = values.filter((value, index) => index > 0 && value > (values[index - 1] as number)).length;
  if (rises < 0.6 * (values.length - 1)) return undefined;
  // A share of the fair share says by itself what is uneven; other figures only by their own baseline.
  const uneven = name === "max_over_mean" ? Math.max(CLIMB * base, UNEVEN) : CLIMB * base;
  const at = values.findIndex((value) => value >= uneven);
  if (at < 0) return undefined;
  const facts: Curve["facts"] = {};
  const last = known.at(-1) as Point;
  const first = known[0] as Point;
  if (name === "max_vio") {
    facts.max_vio_first = fact(values[0] as number, first.line);
    facts.max_vio_last = fact(values.at(-1) as number, last.line);
  } else if (name === "max_over_mean") facts.max_over_mean = fact(values.at(-1) as number, last.line);
  else facts.load_balancing_loss_last = fact(values.at(-1) as number, last.line);
  if (first.step !== null) facts.step_first = fact(first.step, first.line);
  if (last.step !== null) facts.step_last = fact(last.step, last.line);
  return {
    label: "expert-imbalance",
    subcause,
    line: (known[at] as Point).line,
    also: [first.line],
    facts,
    strong: true,
  };
}

/** The balance loss of the switch form is 1.0 at perfect balance and cannot go far below: lower means it no longer measures it. */
function collapseOfBalance(run: readonly Point[]): Curve | undefined {
  const known = run.filter((point) => point.balance !== null && Number.isFinite(point.balance));
  const values = known.map((point) => point.balance as number);
  const base = median(values.slice(0, 2));
  if (known.length < 5 || base < 0.95 || base > 1.5 || median(values.slice(-2)) > 0.5 * base) return undefined;
  const at = values.findIndex((value) => value < 0.7 * base);
  const last = known.at(-1) as Point;
  const facts: Curve["facts"] = { load_balancing_loss_last: fact(values.at(-1) as number, last.line) };
  if (last.step !== null) facts.step_last = fact(last.step, last.line);
  return {
    label: "expert-imbalance",
    subcause: "aux-loss-hacked",
    line: (known[at] as Point).line,
    also: [],
    facts,
    strong: true,
  };
}
