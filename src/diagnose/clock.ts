// Reads the time at the front of a line. Each way of printing time is a clock of its own; two lines are put in order
// only by a clock that both have.

/** iso: date and time of day; glog: month, day, time, no year; day: time of day alone; uptime: seconds since boot. */
export type ClockKind = "iso" | "glog" | "day" | "uptime";

export interface Stamp {
  kind: ClockKind;
  /** As printed. */
  printed: string;
  /** Milliseconds on that clock; comparable within one kind. */
  ms: number;
  /** Minutes east of UTC where printed. */
  zone: number | null;
  /** Characters read. */
  length: number;
}

const DAY_MS = 86_400_000;
/** As long as `ANY_YEAR`. */
const YEAR_MS = 366 * DAY_MS;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** A leap year, so that 29 February has a place among the days without a year. */
const ANY_YEAR = 2024;

const ISO =
  /\[?(?<printed>(?<y>20\d\d)[-/.](?<mo>\d\d?)[-/.](?<d>\d\d?)(?:[T _]| - )?(?:(?<h>\d\d?):(?<mi>\d\d)(?::(?<s>\d\d)(?:[.,](?<f>\d{1,9}))?)?)?(?:\s?(?<z>(?:Z|UTC)(?![A-Za-z])|[+-]\d\d:?\d\d))?)\]?/y;
const US =
  /\[?(?<printed>(?<mo>\d\d)\/(?<d>\d\d)\/(?<y>20\d\d)[ -](?<h>\d\d):(?<mi>\d\d):(?<s>\d\d)(?:[.,](?<f>\d{1,9}))?)\]?/y;
const GLOG = /\[?[IWEFDC](?<printed>(?<mo>\d\d?)(?<d>\d\d) (?<h>\d\d):(?<mi>\d\d):(?<s>\d\d)(?:\.(?<f>\d{1,9}))?)/y;
const SYSLOG =
  /\[?(?<printed>(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?(?<mon>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}(?<d>\d\d?) (?<h>\d\d):(?<mi>\d\d):(?<s>\d\d)(?:[.,](?<f>\d{1,9}))?(?: (?<y>20\d\d))?)\]?/y;
const DAY = /\[?(?<printed>(?<h>\d\d):(?<mi>\d\d):(?<s>\d\d)(?:[.,](?<f>\d{1,9}))?)\]?(?=[\s|:,\]]|$)/y;
const UPTIME = /\[ {0,6}(?<printed>\d{1,9}\.\d{6})\]/y;

/** The stamp that begins at `at`, or undefined. Never throws; a date that does not exist is no stamp. */
export function readStamp(text: string, at: number): Stamp | undefined {
  // What stands there, or behind a bracket, tells which ways of printing time are worth trying.
  const bracket = text.charCodeAt(at) === 0x5b;
  const first = text.charCodeAt(bracket ? at + 1 : at);
  if (first >= 0x41 && first <= 0x5a) return dated(GLOG, text, at, "glog") ?? dated(SYSLOG, text, at, "iso");
  if (bracket && first === 0x20) return uptime(text, at);
  if (!(first >= 0x30 && first <= 0x39)) return undefined;
  return (
    dated(ISO, text, at, "iso") ??
    dated(US, text, at, "iso") ??
    (bracket ? uptime(text, at) : undefined) ??
    timeOfDay(text, at)
  );
}

function dated(pattern: RegExp, text: string, at: number, kind: ClockKind): Stamp | undefined {
  pattern.lastIndex = at;
  const groups = pattern.exec(text)?.groups;
  if (!groups) return undefined;
  const month = groups.mon ? MONTHS.indexOf(groups.mon.toLowerCase()) : Number(groups.mo) - 1;
  const day = Number(groups.d);
  if (month < 0 || month > 11 || day < 1 || day > 31) return undefined;
  const zone = groups.z ? zoneMinutes(groups.z) : null;
  const year = groups.y ? Number(groups.y) : ANY_YEAR;
  const ms = Date.UTC(year, month, day) + timeMs(groups) - (zone ?? 0) * 60_000;
  const yearless = kind === "glog" || !groups.y;
  return {
    kind: yearless ? "glog" : kind,
    printed: groups.printed ?? "",
    ms,
    zone,
    length: pattern.lastIndex - at,
  };
}

function uptime(text: string, at: number): Stamp | undefined {
  UPTIME.lastIndex = at;
  const printed = UPTIME.exec(text)?.groups?.printed;
  if (printed === undefined) return undefined;
  return { kind: "uptime", printed, ms: Number(printed) * 1000, zone: null, length: UPTIME.lastIndex - at };
}

function timeOfDay(text: string, at: number): Stamp | undefined {
  DAY.lastIndex = at;
  const groups = DAY.exec(text)?.groups;
  if (!groups) return undefined;
  return { kind: "day", printed: groups.printed ?? "", ms: timeMs(groups), zone: null, length: DAY.lastIndex - at };
}

function timeMs(groups: Record<string, string | undefined>): number {
  const fraction = groups.f ? Number(`0.${groups.f}`) * 1000 : 0;
  return Number(groups.h ?? 0) * 3_600_000 + Number(groups.mi ?? 0) * 60_000 + Number(groups.s ?? 0) * 1000 + fraction;
}

function zoneMinutes(zone: string): number {
  if (zone === "Z" || zone === "UTC") return 0;
  const sign = zone.startsWith("-") ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)));
}

/** What a line knows of time: the outermost stamp of each kind. */
export type Times = Partial<Record<ClockKind, Stamp>>;

const ORDER: ClockKind[] = ["glog", "iso", "day", "uptime"];

/** Milliseconds from `a` to `b` on a clock both have; undefined where none is shared. */
export function between(a: Times, b: Times): number | undefined {
  for (const kind of ORDER) {
    const from = a[kind];
    const to = b[kind];
    if (from && to) return kind === "uptime" ? to.ms - from.ms : nearest(to.ms - from.ms, kind);
  }
  // A log that prints both ways does so from one process clock; the year is then the other's.
  const from = a.iso ?? a.glog;
  const to = b.iso ?? b.glog;
  if (from && to) return nearest(withoutYear(to.ms) - withoutYear(from.ms), "glog");
  return undefined;
}

/** Midnight and New Year pass: a time without its date, or a date without its year, is the nearest one. */
function nearest(gap: number, kind: ClockKind): number {
  const round = kind === "day" ? DAY_MS : kind === "glog" ? YEAR_MS : 0;
  if (round === 0 || Math.abs(gap) <= round / 2) return gap;
  return gap > 0 ? gap - round : gap + round;
}

function withoutYear(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(ANY_YEAR, date.getUTCMonth(), date.getUTCDate()) + (ms % 86_400_000);
}

/** ISO 8601 in UTC where the zone was printed. */
export function utcOf(times: Times): string | null {
  const stamp = times.iso;
  return stamp && stamp.zone !== null ? new Date(stamp.ms).toISOString() : null;
}

/** The process's own time as printed: the finest of what the line has. */
export function printedOf(times: Times): string | null {
  return (times.glog ?? times.iso ?? times.day ?? times.uptime)?.printed ?? null;
}
