// A restarted job's log holds several attempts. Each is read on its own, and the last one that failed is the case.
import { isPassedOn } from "./claims.ts";
import { firstBy } from "./clocks.ts";
import type { Finds, Kept } from "./finds.ts";
import type { Line } from "./lines.ts";
import type { Raised } from "./tracebacks.ts";

export interface Attempts {
  /** Lines by which a launcher says that it starts again. */
  look(line: Line): void;
  /** A training step, or a resume (no step): a step that was there before begins another attempt. */
  step(line: Line, step: number | null): void;
  failure(line: Line): void;
  /** 0 for the first. Where a file does not say it, `ordered` may, by the clock. */
  of(line: Line, ordered?: (a: Line, b: Line) => boolean | undefined): number;
  /** torchrun keeps the files of each attempt in a folder of its own. */
  named(source: number, attempt: number): void;
  /** Lines that begin an attempt. */
  begins(): Line[];
  /** The attempt that is being read in this source. */
  now(source: number): number;
}

/** What is searched for past the part that is read line by line. */
export const RESTARTS = [
  "restart_count=",
  "will restart worker group",
  "DUE TO JOB REQUEUE",
  "ProcessGroupNCCL initialization options",
  "Setting OMP_NUM_THREADS",
  "initializing torch distributed",
  "Distributed environment: ",
  "distributed_backend=",
];
const RESTART = /\brestart_count=[1-9]|attempts? left; will restart worker group|DUE TO JOB REQUEUE/;

/** What a process prints when it starts; after its own failure, it is another process. */
const START =
  /\bNCCL version \d|ProcessGroupNCCL initialization options|Setting OMP_NUM_THREADS|initializing torch distributed|Distributed environment: |distributed_backend=|All distributed processes registered|using world size: \d/;
const NO_START = /Error|error|WARN/;

const MOST = 64;
const MOST_TRACKS = 16_384;

interface Source {
  /** First lines of the second attempt and on. */
  begins: Line[];
  active: number;
}

export function createAttempts(): Attempts {
  const sources = new Map<number, Source>();
  const folders = new Map<number, number>();
  const tracks = new Map<string, { line: number; step: number }>();
  /** By source and rank: the last line that says that it failed. */
  const failures = new Map<string, number>();

  function sourceOf(line: Line): Source {
    const found = sources.get(line.source) ?? { begins: [], active: 0 };
    sources.set(line.source, found);
    return found;
  }

  /** Several ranks and nodes tell of one restart: what tells of it first begins the attempt. */
  function begin(line: Line): void {
    const source = sourceOf(line);
    const last = source.begins.at(-1);
    if (source.active === 0 || (last && source.active < last.line) || source.begins.length >= MOST) return;
    source.begins.push(line);
  }

  function fail(line: Line): void {
    const key = keyOf(line);
    sourceOf(line).active = line.line;
    if (failures.has(key) || failures.size < MOST_TRACKS) failures.set(key, line.line);
  }

  return {
    look(line) {
      const text = line.text.length > 1_000 ? line.text.slice(0, 1_000) : line.text;
      if (text.startsWith("Traceback (most recent")) fail(line);
      else if (RESTART.test(text)) begin(line);
      else if (line.rank !== null && START.test(text) && !NO_START.test(text)) {
        const failed = failures.get(keyOf(line)) ?? 0;
        if (failed > (sourceOf(line).begins.at(-1)?.line ?? 0)) begin(line);
      }
    },
    step(line, step) {
      const key = keyOf(line);
      const before = tracks.get(key);
      if (step === null) {
        if (before) begin(line);
        return;
      }
      const source = sourceOf(line);
      const since = source.begins.at(-1)?.line ?? 0;
      if (before && step < before.step && before.line > since) begin(line);
      source.active = line.line;
      if (before || tracks.size < MOST_TRACKS) tracks.set(key, { line: line.line, step });
    },
    failure: fail,
    of(line, ordered) {
      const own = sources.get(line.source)?.begins ?? [];
      const folder = folders.get(line.source);
      if (own.length > 0 || folder !== undefined)
        return (folder ?? 0) + own.filter((first) => first.line <= line.line).length;
      const longest = [...sources.values()].reduce<Line[]>(
        (most, one) => (one.begins.length > most.length ? one.begins : most),
        [],
      );
      return longest.filter((first) => ordered?.(line, first) !== true).length;
    },
    named(source, attempt) {
      folders.set(source, attempt);
    },
    begins: () => [...sources.values()].flatMap((source) => source.begins),
    now: (source) => sources.get(source)?.begins.length ?? 0,
  };
}

function keyOf(line: Line): string {
  return `${line.source}/${line.rank ?? ""}`;
}

/** The finds of the last attempt that failed; all of them where the job was started once. */
export function lastFailed(finds: Finds, ordered: (a: Line, b: Line) => boolean | undefined): Finds {
  const attempt = (line: Line): number => finds.attempts.of(line, ordered);
  const kept = finds.kept();
  const raised = finds.raised();
  let last = 0;
  let first = Number.POSITIVE_INFINITY;
  const note = (line: Line): void => {
    const one = attempt(line);
    last = Math.max(last, one);
    first = Math.min(first, one);
  };
  for (const one of kept) if (isFailure(one)) for (const hit of one.hits) note(hit.line);
  for (const one of raised) if (one.framed && !isPassedOn(one)) note(one.line);
  if (last === 0 || first === last) return finds;
  const keptThen = kept.flatMap((one) =>
    only(one, (line) => attempt(line) === last || !(isFailure(one) || follows(one))),
  );
  const then = raised.filter((one) => attempt(one.line) === last);
  return { ...finds, kept: () => keptThen, raised: () => rechained(raised, then) };
}

function isFailure({ rule }: Kept): boolean {
  return rule.weight === "strong" && rule.role !== "context";
}

/** What follows from a fault belongs to the attempt that had it. */
function follows({ rule }: Kept): boolean {
  return rule.role === "consequence";
}

function only(kept: Kept, wanted: (line: Line) => boolean): Kept[] {
  const hits = kept.hits.filter((hit) => wanted(hit.line));
  const [first] = hits;
  if (!first) return [];
  if (hits.length === kept.hits.length) return [kept];
  return [{ ...kept, hits, count: hits.length, first, earliest: firstBy(hits) }];
}

/** Chains point into the list: they are pointed anew. */
function rechained(all: readonly Raised[], some: readonly Raised[]): Raised[] {
  return some.map((one) => ({ ...one, after: one.after < 0 ? -1 : some.indexOf(all[one.after] as Raised) }));
}
