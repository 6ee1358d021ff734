// What a checkpoint's list of files lacks: gaps in the numbering, empty and short files, compared with their own kind.
import { type Axis, type CheckpointFile, type CheckpointFormat, formatOf, renumbered } from "./checkpoint-names.ts";
import type { FileListing } from "./file-listing.ts";
import { median } from "./said.ts";

/** A shard below this share of the median of its kind was cut, or its rank wrote something else. */
const SMALL = 0.5;
/** From this share of a numbering on, what it lacks is missing; below it only some ranks write. */
const DENSE = 0.6;
/** A step with fewer shards than this share of the one before was saved by another number of ranks. */
const SAME_LAYOUT = 0.8;
/** No more ranks than this are counted up to: a made-up name must not fill the memory. */
const RANKS = 16_384;

export interface Save {
  step: number | null;
  files: CheckpointFile[];
  format: CheckpointFormat | null;
  /** The files that every rank writes, or the numbered parts of the weights. */
  shards: CheckpointFile[];
}

/** One for each step that the list shows, in rising order; files above the steps' folders come first. */
export function savesOf(files: readonly CheckpointFile[]): Save[] {
  const steps = [...new Set(files.map(({ step }) => step))].sort((a, b) => (a ?? -1) - (b ?? -1));
  const above = files.filter(({ step }) => step === null);
  return steps.map((step) => {
    const own = files.filter((file) => file.step === step);
    const shards = shardsOf(own);
    return { step, files: own, shards, format: formatOf([...own, ...(step === null ? [] : above)]) };
  });
}

/** The kind with most files; DeepSpeed's optimizer shards before its model states. */
function shardsOf(files: readonly CheckpointFile[]): CheckpointFile[] {
  for (const kind of [
    "distcp",
    "ds-optim",
    "ds-zero-model",
    "ds-model",
    "ds-layer",
    "legacy",
    "legacy-optim",
    "safetensors",
    "bin",
  ]) {
    const found = files.filter((file) => file.kind === kind);
    if (found.length > 0) return found;
  }
  return [];
}

export interface Faults {
  /** Null where sizes, or all of the names, are not shown. */
  empty: CheckpointFile[] | null;
  small: { file: CheckpointFile; median: number }[] | null;
  missing: string[] | null;
  expected: number | null;
  complete: boolean;
}

export function faultsOf(save: Save, saves: readonly Save[], listing: FileListing): Faults {
  const sized = save.files.filter(({ bytes, folder }) => bytes !== null && !folder);
  const complete = listing.complete && listing.cut.length === 0 && listing.denied.length === 0;
  const empty = sized.filter(({ bytes }) => bytes === 0);
  const small = [...new Set(sized.filter(({ even }) => even).map(({ kind }) => kind))].flatMap((kind) =>
    smallOf(sized.filter((file) => file.kind === kind)),
  );
  const known = sized.length > 0;
  const gaps = gapsOf(save, saves);
  return {
    empty: known ? empty : null,
    small: known && listing.complete ? small : null,
    missing: complete ? gaps.missing : null,
    expected: complete || save.shards.some(({ numbers }) => numbers.of !== undefined) ? gaps.expected : null,
    complete,
  };
}

/** The last part of numbered weights holds what is left over. */
function smallOf(files: readonly CheckpointFile[]): { file: CheckpointFile; median: number }[] {
  const filled = files.filter(
    ({ bytes, numbers }) => bytes !== 0 && (numbers.of === undefined || numbers.n !== numbers.of),
  );
  if (filled.length < 3) return [];
  const middle = median(filled.map(({ bytes }) => bytes ?? 0));
  return filled.filter(({ bytes }) => (bytes ?? 0) < SMALL * middle).map((file) => ({ file, median: middle }));
}

/** What the numbering of the names says should be there. */
function gapsOf(save: Save, saves: readonly Save[]): { missing: string[]; expected: number | null } {
  const [shard] = save.shards;
  if (!shard) return { missing: [], expected: null };
  const of = shard.numbers.of;
  const have = new Set(save.files.map(({ label }) => label));
  if (of !== undefined) {
    const missing = range(1, of)
      .map((n) => renumbered(shard, { n }))
      .filter((name) => !have.has(name));
    return { missing, expected: of };
  }
  if (shard.kind === "distcp") return distcpGaps(save, saves);
  const axes: Axis[] = ["dp", "tp", "pp", "ep"];
  const kinds = [...new Set(save.files.filter(({ grid }) => grid).map(({ kind }) => kind))];
  const wanted = kinds.flatMap((kind) => {
    const sample = save.files.find((file) => file.kind === kind);
    if (!sample) return [];
    const mine = axes.filter((axis) => sample.numbers[axis] !== undefined);
    const last = (axis: Axis): number => maxOf(sameFamily(save.files, axis, kind), axis) ?? 0;
    const size = mine.reduce((product, axis) => product * (last(axis) + 1), 1);
    if (size > RANKS || save.files.filter((file) => file.kind === kind).length < DENSE * size) return [];
    return combinations(mine, last).map((numbers) => ({ kind, name: renumbered(sample, numbers) }));
  });
  return {
    missing: wanted.map(({ name }) => name).filter((name) => !have.has(name)),
    expected: wanted.filter(({ kind }) => kind === shard.kind).length || null,
  };
}

/** All kinds have the same ranks, but for the experts', which count on their own. */
function sameFamily(files: readonly CheckpointFile[], axis: Axis, kind: string): CheckpointFile[] {
  return files.filter((file) => file.grid && (axis !== "ep" || file.kind === kind));
}

/** Ranks with nothing to write leave no file, so gaps count only in a dense numbering, or beside the step before. */
function distcpGaps(save: Save, saves: readonly Save[]): { missing: string[]; expected: number | null } {
  const [shard] = save.shards;
  if (!shard) return { missing: [], expected: null };
  const before = saves.findLast(
    ({ step, format }) => step !== null && step < (save.step ?? -1) && format === save.format,
  );
  const parts = [...new Set(save.shards.map(({ numbers }) => numbers.part ?? 0))];
  const names = new Set(save.shards.map(({ label }) => label));
  const alike = before && save.shards.length >= SAME_LAYOUT * before.shards.length ? before.shards : [];
  const last = maxOf([...save.shards, ...alike], "rank") ?? 0;
  const wanted = parts.flatMap((part) => {
    const ranks = save.shards.filter(({ numbers }) => numbers.part === part).map(({ numbers }) => numbers.rank ?? 0);
    return ranks.length >= DENSE * (last + 1) && !evenlySpaced(ranks)
      ? range(0, last).map((rank) => renumbered(shard, { rank, part }))
      : [];
  });
  const missing = wanted.filter((name) => !names.has(name));
  return { missing, expected: wanted.length > 0 ? names.size + missing.length : null };
}

/** One writer in each node: 0, 8, 16. */
function evenlySpaced(ranks: readonly number[]): boolean {
  const sorted = [...ranks].sort((a, b) => a - b);
  const gaps = sorted.slice(1).map((rank, at) => rank - (sorted[at] ?? 0));
  return gaps.length > 1 && (gaps[0] ?? 1) > 1 && gaps.every((gap) => gap === gaps[0]);
}

function combinations(axes: readonly Axis[], last: (axis: Axis) => number): Partial<Record<Axis, number>>[] {
  return axes.reduce<Partial<Record<Axis, number>>[]>(
    (all, axis) => all.flatMap((one) => range(0, last(axis)).map((number) => ({ ...one, [axis]: number }))),
    [{}],
  );
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.min(Math.max(to - from + 1, 0), RANKS) }, (_, at) => from + at);
}

export function maxOf(files: readonly CheckpointFile[], axis: Axis): number | null {
  const all = files.flatMap(({ numbers }) => numbers[axis] ?? []);
  return all.length > 0 ? all.reduce((a, b) => Math.max(a, b)) : null;
}
