// Does any number that a run prints leave the range it began in? Whatever its name: what curves.ts knows was judged
// there, and this only says how sure "all is well" may be.
import { median } from "./baseline.ts";
import type { Point } from "./series.ts";

/** So many lines of a run are looked at, evenly. */
const LOOKS = 48;
const FEWEST = 12;
const NUMBER =
  /([A-Za-z_][\w/.() -]{0,40}?)["']?(?:\s{0,3}[:=|]\s{0,8}|\s)["']?([-+]?(?:\d{1,15}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,3})?|nan|inf))\b/gi;
/** Counters, clocks, speeds and what is scheduled or only said. */
const NO_METRIC =
  /\blr\b|learning|step|iter|epoch|batch|sample|token|time|date|elapsed|remain|\beta|tps|throughput|flop|mfu|mem|gib|sec|\bms\b|speed|hour|size|seed|rank|pid|port|consumed|scale|skipped|temperature|beta|weight.decay|length|reward|response|score|acc|kl/i;

export function hasMoved(track: readonly Point[]): boolean {
  if (track.length < FEWEST) return false;
  const every = Math.max(1, track.length / LOOKS);
  const values = new Map<string, number[]>();
  for (let at = 0; at < track.length; at += every) {
    const seen = new Set<string>();
    const text = track[Math.floor(at)]?.line.text.slice(0, 400) ?? "";
    for (const [, name = "", printed = ""] of text.matchAll(NUMBER)) {
      const key = name.trim().toLowerCase();
      if (NO_METRIC.test(key) || seen.has(key)) continue;
      seen.add(key);
      const own = values.get(key) ?? [];
      own.push(Number(printed));
      values.set(key, own);
    }
  }
  return [...values.values()].some(leftItsRange);
}

/** Two values in a row, after the first half, well above all of the first half. */
function leftItsRange(values: readonly number[]): boolean {
  if (values.length < FEWEST) return false;
  if (values.some((value) => !Number.isFinite(value))) return true;
  const early = values.slice(0, values.length >> 1);
  const top = Math.max(...early);
  const far = top + Math.max(0.25 * Math.abs(top), top - median(early));
  return values.some((value, at) => at >= early.length && value > far && (values[at + 1] ?? value) > far);
}
