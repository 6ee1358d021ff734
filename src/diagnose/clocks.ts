// The clock doctor: do the nodes' clocks agree? Found from what all ranks do together, before any claim about order.
// Where they do not, times are compared only after allowing for it, or not at all.
import { between, type Times } from "./clock.ts";
import type { Finds, Hit } from "./finds.ts";
import type { Line } from "./lines.ts";

/** What ranks do together: the end of a step, giving up on one operation of one group. */
export interface Clocks {
  mark(line: Line, event: string): void;
  look(line: Line): void;
  examine(): Examined;
}

export interface Examined {
  /** One sentence a person can check; null where nothing is wrong with the clocks. */
  finding: { en: string; zh: string } | null;
  settle(line: Line): void;
}

/** local: date and time without a zone; utc: with one; day: no date; uptime: since boot. */
type Way = "local" | "utc" | "day" | "uptime";

/** How a line's time relates to that of other clocks; only lines of clocks that disagree have it. */
export interface Settled {
  clock: string;
  way: Way;
  /** On the clock of the others; null where what the ranks did together does not tell it. */
  ms: number | null;
  /** Known to be off, by an unknown amount. */
  odd: boolean;
}

/** Ranks end a step together, and give up together to within the time they began to wait. */
const STEP_TOLERANCE_MS = 5_000;
const WAIT_TOLERANCE_MS = 60_000;
const DAY_MS = 86_400_000;
const NEWEST = 24;
const MOST_CLOCKS = 16_384;

interface Clock {
  name: string;
  way: Way;
  source: number;
  /** By event: the last one where a job was started again. */
  events: Map<string, number>;
  first: number;
  last: number;
}

interface Found {
  clock: Clock;
  ms: number;
}

export function createClocks(): Clocks {
  const clocks = new Map<string, Clock>();
  /** One line is asked for several times. */
  let last: { line: Line; found: Found | undefined } | undefined;

  function clockOf(line: Line): Found | undefined {
    if (last?.line !== line) last = { line, found: find(line) };
    return last.found;
  }

  function find(line: Line): Found | undefined {
    const told = told_(line.times);
    if (!told) return undefined;
    const name = nameOf(line);
    const key = `${name}|${told.way}`;
    const known = clocks.get(key);
    if (known) return { clock: known, ms: told.ms };
    if (clocks.size >= MOST_CLOCKS) return undefined;
    const clock: Clock = { name, way: told.way, source: line.source, events: new Map(), first: told.ms, last: told.ms };
    clocks.set(key, clock);
    return { clock, ms: told.ms };
  }

  return {
    look(line) {
      const found = clockOf(line);
      if (!found) return;
      found.clock.first = Math.min(found.clock.first, found.ms);
      found.clock.last = Math.max(found.clock.last, found.ms);
    },
    mark(line, event) {
      const found = clockOf(line);
      if (!found) return;
      const { events } = found.clock;
      events.delete(event);
      events.set(event, found.ms);
      if (events.size > NEWEST)
        for (const oldest of events.keys()) {
          events.delete(oldest);
          break;
        }
    },
    examine: () => examine(clocks),
  };
}

/** Whose clock a line shows: its node's where the line names it, else its rank's, else its file's. */
function nameOf(line: Line): string {
  if (line.host !== null) return line.host;
  return line.rank === null ? `file ${line.source + 1}` : `rank ${line.rank}`;
}

/** Without the year: half of the prefixes do not print one. */
function told_(times: Times): { way: Way; ms: number } | undefined {
  const { iso, glog, day, uptime } = times;
  if (iso)
    return {
      way: iso.zone === null ? "local" : "utc",
      ms: iso.ms % (366 * DAY_MS) === iso.ms ? iso.ms : yearless(iso.ms),
    };
  if (glog) return { way: "local", ms: yearless(glog.ms) };
  if (day) return { way: "day", ms: day.ms };
  return uptime ? { way: "uptime", ms: uptime.ms } : undefined;
}

/** Of the day asked for last: the lines of a log mostly share it. */
const today = { day: Number.NaN, yearless: 0 };

function yearless(ms: number): number {
  const day = Math.floor(ms / DAY_MS);
  if (day !== today.day) {
    const date = new Date(ms);
    today.yearless = Date.UTC(2024, date.getUTCMonth(), date.getUTCDate());
    today.day = day;
  }
  return today.yearless + (((ms % DAY_MS) + DAY_MS) % DAY_MS);
}

interface Off {
  /** To be taken off to come to the reference; null: off by an unknown amount. */
  by: number | null;
  event: string;
}

function examine(clocks: ReadonlyMap<string, Clock>): Examined {
  // Held against a time of day, dates would be lost: that is what the others are held against last.
  const all = [...clocks.values()];
  const reference = busiest(all.filter((clock) => clock.way !== "day" && clock.way !== "uptime")) ?? busiest(all);
  const offs = new Map<string, Off>();
  if (reference)
    for (const [key, clock] of clocks) {
      const off = clock.way === "uptime" ? undefined : offOf(clock, reference);
      if (off) offs.set(key, off);
    }
  // The reference may itself be the one that is wrong: what most agree on is right.
  const usual = median([...offs.values()].flatMap((off) => (off.by === null ? [] : [off.by]))) ?? 0;
  for (const off of offs.values()) if (off.by !== null) off.by -= usual;
  const wrong = [...offs].filter(([, off]) => off.by === null || Math.abs(off.by) > STEP_TOLERANCE_MS);
  const apart = wrong.length === 0 ? daysApart(clocks) : null;
  if (wrong.length === 0 && apart === null) return { finding: null, settle: () => {} };
  const bySource = perSource(clocks, offs);
  return {
    finding: apart ?? findingOf(wrong, clocks),
    settle(line) {
      const told = told_(line.times);
      if (!told) return;
      const name = nameOf(line);
      const off = offs.get(`${name}|${told.way}`) ?? bySource.get(`${line.source}|${told.way}`);
      line.settled = {
        clock: name,
        way: told.way,
        ms: off === undefined || off.by === null ? null : told.ms - off.by,
        // Where some clocks are wrong, one that nothing was held against is not trusted.
        odd: off === undefined || off.by === null,
      };
    },
  };
}

function busiest(clocks: readonly Clock[]): Clock | undefined {
  let most: Clock | undefined;
  for (const clock of clocks) if (clock.events.size > (most?.events.size ?? 0)) most = clock;
  return most;
}

/** Steps tell it to the second; time-outs only that something is wrong. */
function offOf(clock: Clock, reference: Clock): Off | undefined {
  const steps: number[] = [];
  const waits: number[] = [];
  let shared = "";
  for (const [event, ms] of clock.events) {
    const there = reference.events.get(event);
    if (there === undefined) continue;
    let gap = ms - there;
    if (clock.way === "day" || reference.way === "day") gap = wrapped(gap);
    (event.startsWith("step ") ? steps : waits).push(gap);
    if (event.startsWith("step ") || shared === "") shared = event;
  }
  const middle = median(steps);
  if (middle !== undefined) {
    const steady = steps.every((gap) => Math.abs(gap - middle) <= STEP_TOLERANCE_MS);
    return { by: steady ? middle : null, event: shared };
  }
  const wait = median(waits);
  if (wait === undefined) return undefined;
  return { by: Math.abs(wait) <= WAIT_TOLERANCE_MS ? 0 : null, event: shared };
}

/** A time of day has no date: the nearest one is meant. */
function wrapped(gap: number): number {
  const within = ((gap % DAY_MS) + DAY_MS) % DAY_MS;
  return within > DAY_MS / 2 ? within - DAY_MS : within;
}

/** A line without a rank stands in the log of a node: its ranks' clock is its own, where they agree. */
function perSource(clocks: ReadonlyMap<string, Clock>, offs: ReadonlyMap<string, Off>): Map<string, Off> {
  const found = new Map<string, Off>();
  for (const [key, clock] of clocks) {
    const off = offs.get(key);
    if (!off) continue;
    const at = `${clock.source}|${clock.way}`;
    const known = found.get(at);
    const agree =
      known === undefined || (known.by !== null && off.by !== null && Math.abs(known.by - off.by) <= STEP_TOLERANCE_MS);
    found.set(at, agree ? off : { by: null, event: off.event });
  }
  return found;
}

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function findingOf(
  wrong: readonly (readonly [string, Off])[],
  clocks: ReadonlyMap<string, Clock>,
): Examined["finding"] {
  const sorted = [...wrong].sort((a, b) => Math.abs(b[1].by ?? 0) - Math.abs(a[1].by ?? 0));
  const [key, off] = sorted[0] as readonly [string, Off];
  const who = clocks.get(key)?.name ?? "";
  const names = new Set(wrong.map(([one]) => clocks.get(one)?.name));
  const others = names.size > 1 ? { en: ` and ${names.size - 1} more`, zh: `等 ${names.size} 个` } : { en: "", zh: "" };
  const shown = { en: off.event, zh: off.event };
  if (off.by === null) {
    return {
      en: `The clock of ${who}${others.en} disagrees with the others (${shown.en}): order between them is not claimed.`,
      zh: `${who}${others.zh}的时钟与其他的不一致（${shown.zh}）：不对它们之间的先后下结论。`,
    };
  }
  const by = spanOf(Math.abs(off.by));
  const zone = isZone(off.by) ? { en: ", as another time zone is", zh: "，像是另一个时区" } : { en: "", zh: "" };
  const way = off.by > 0 ? { en: "ahead", zh: "快" } : { en: "behind", zh: "慢" };
  const upTo = names.size > 1 ? { en: "up to ", zh: "最多" } : { en: "", zh: "" };
  return {
    en: `The clock of ${who}${others.en} is ${upTo.en}${by.en} ${way.en}${zone.en} (${shown.en} shows it): times are compared after allowing for that.`,
    zh: `${who}${others.zh}的时钟${upTo.zh}${way.zh} ${by.zh}${zone.zh}（见 ${shown.zh}）：先后顺序已按此校正。`,
  };
}

/** Zones are whole half hours apart. */
function isZone(ms: number): boolean {
  const half = 1_800_000;
  const rest = Math.abs(ms) % half;
  return Math.abs(ms) > half / 2 && Math.min(rest, half - rest) <= 60_000;
}

function spanOf(ms: number): { en: string; zh: string } {
  if (ms >= 5_400_000) return { en: `${round(ms / 3_600_000)} h`, zh: `${round(ms / 3_600_000)} 小时` };
  if (ms >= 120_000) return { en: `${round(ms / 60_000)} min`, zh: `${round(ms / 60_000)} 分钟` };
  return { en: `${round(ms / 1000)} s`, zh: `${round(ms / 1000)} 秒` };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Files that do not overlap and stand a day apart are logs of different runs. */
function daysApart(clocks: ReadonlyMap<string, Clock>): Examined["finding"] {
  const spans = new Map<number, { first: number; last: number }>();
  for (const clock of clocks.values()) {
    if (clock.way !== "local" && clock.way !== "utc") continue;
    const span = spans.get(clock.source);
    spans.set(clock.source, {
      first: Math.min(clock.first, span?.first ?? clock.first),
      last: Math.max(clock.last, span?.last ?? clock.last),
    });
  }
  const sorted = [...spans].sort((a, b) => a[1].first - b[1].first);
  for (const [index, [source, span]] of sorted.entries()) {
    const next = sorted[index + 1];
    const gap = next ? next[1].first - span.last : 0;
    // Half a year and more is New Year's Eve: most prefixes print no year.
    if (!next || gap < DAY_MS || gap > 183 * DAY_MS) continue;
    const days = Math.round(gap / DAY_MS);
    return {
      en: `Files ${source + 1} and ${next[0] + 1} stand ${days} ${days === 1 ? "day" : "days"} apart: they are not of one run, and order between them is not claimed.`,
      zh: `第 ${source + 1} 个和第 ${next[0] + 1} 个文件相隔 ${days} 天：不是同一次运行，不对它们之间的先后下结论。`,
    };
  }
  return null;
}

/** Milliseconds from `a` to `b`; undefined where no clock tells it. */
export function gapOf(a: Line, b: Line): number | undefined {
  const from = a.settled;
  const to = b.settled;
  if (!from || !to || (from.clock === to.clock && from.way === to.way)) return between(a.times, b.times);
  if (from.ms !== null && to.ms !== null) {
    const gap = from.way === "day" || to.way === "day" ? wrapped(to.ms - from.ms) : to.ms - from.ms;
    return Math.abs(gap) <= STEP_TOLERANCE_MS ? undefined : gap;
  }
  if (from.odd || to.odd || from.way !== to.way) return undefined;
  return between(a.times, b.times);
}

/** By the clock both have; within one source by the order of lines; across sources without a clock nothing is claimed. */
export function isBefore(a: Line, b: Line): boolean {
  const gap = gapOf(a, b);
  if (gap !== undefined && gap !== 0) return gap > 0;
  return a.source === b.source && a.line < b.line;
}

/** Undefined where it cannot be told. */
export function ordered(a: Line, b: Line): boolean | undefined {
  const gap = gapOf(a, b);
  if (gap !== undefined && gap !== 0) return gap > 0;
  return a.source === b.source ? a.line < b.line : undefined;
}

/** The earliest by a shared clock, else the one read first. */
export function firstBy(hits: readonly Hit[]): Hit {
  return hits.reduce((first, hit) => (isBefore(hit.line, first.line) ? hit : first));
}

/** Puts what is kept on one clock; tells what was wrong. */
export function settleClocks(finds: Finds): Examined["finding"] {
  const { finding, settle } = finds.clocks.examine();
  if (finding === null) return null;
  for (const kept of finds.kept()) for (const hit of kept.hits) settle(hit.line);
  for (const one of finds.raised()) settle(one.line);
  for (const line of finds.attempts.begins()) settle(line);
  for (const track of finds.series.tracks()) for (const point of track) settle(point.line);
  return finding;
}
