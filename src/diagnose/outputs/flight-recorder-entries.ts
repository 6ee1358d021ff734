// Takes what the flight recorder's analyzer prints apart into entries: a sentence, then what it is about, line by line.
import type { OutputText } from "./output-text.ts";

export type FrVerdict = "missing" | "mismatch" | "sizes" | "none" | "undecided";

export interface Entry {
  line: number;
  verdict: FrVerdict;
  seq: number | null;
  collective: string | null;
  group: string | null;
  guid: string | null;
  size: number | null;
  expected: number[];
  missing: number[];
  culprits: { rank: number; kind: string }[];
  /** What the first rank has, and what the first culprit has. */
  against: { expected: string; found: string } | null;
  numel: { in: number; out: number } | null;
  frame: string | null;
  /** Where each was read. */
  lines: Partial<Record<"collective" | "group" | "size" | "missing" | "culprits" | "frame", number>>;
  /** What of it was not pasted. */
  cut: string | null;
}

/** The first sentence of an entry: what 2.6 and newer, 2.5, and 2.4 print. */
const SENTENCES: readonly [FrVerdict, RegExp][] = [
  [
    "missing",
    /^Not all ranks joining collective(?:[,:] sequence number: (?<seq>\d{1,15})| (?<older>\d{1,15}) at entry \d+| for group (?<oldest>.*))/,
  ],
  [
    "mismatch",
    /^Collective sequence number: (?<seq>\d{1,15}) has errors|^Collective (?<older>\d{1,15}) at entry \d+ errors|^Collective \d{1,15} errors for group (?<oldest>.*)/,
  ],
  [
    "sizes",
    /^Input\/output mismatch in the collective (?:sequence number: (?<seq>\d{1,15})|(?<older>\d{1,15}) at entry \d+|\d{1,15}\s+for group (?<oldest>.*))/,
  ],
  ["none", /^No errors found for this collective entry/],
  ["undecided", /^We cannot decide what's wrong with this collective entry/],
  ["undecided", /^(?:AssertionError: )?Missing dump files from ranks \{/],
];
/** Ranks of which there is no dump. */
export const MISSED =
  /because we missed FR dumps from ranks \(?\{?(?<ranks>[\d, ]{1,4000})|Missing dump files from ranks \{(?<all>[\d', ]{1,4000})/;
const FIELD =
  /^(?<name>internal record id|group info|collective|missing ranks|total input numel|total output numel|input sizes|output sizes|world size|expected ranks|collective state|error msg|error message|collective stack trace): ?(?<value>.*)$/;
const CULPRIT =
  /(?:Culprit|Error) rank (?<rank>\d{1,7})[;,] ?(?:Error type: )?(?:MatchState\.)?(?<kind>[A-Z][A-Z_]{4,40})/g;
const AGAINST = /'(?<expected>[^']{1,60})' does not match found [a-z ]{1,30}: '(?<found>[^']{1,60})'/;
const FRAME = /^(?<name>[\w.<>]{1,120}) at (?<file>\S{1,400}):(?<number>\d{1,7})$/;
const OLD_FRAME = /\{'name': '(?<name>[^']{1,120})', 'filename': '(?<file>[^']{1,400})', 'line': (?<number>\d{1,7})\}/;
const OLDEST = /^(?<group>\S{1,200}) collective (?<collective>\S{1,80}(?: \d+(?:->|<-)\d+)?)(?<rest>.*)$/;

export function knownLines(text: OutputText): number[] {
  const entries = entriesOf(text);
  if (entries.length === 0) return [];
  const fields = text.lines.filter(
    ({ text: row, command }) =>
      !command && (FIELD.test(row.trim()) || FRAME.test(row.trim()) || sentenceOf(row.trim())),
  );
  return fields.map(({ line }) => line);
}

export function entriesOf(text: OutputText): Entry[] {
  const entries: Entry[] = [];
  let stack = false;
  for (const { line, text: row, command } of text.lines) {
    if (command) continue;
    const trimmed = row.trim();
    const begun = sentenceOf(trimmed);
    if (begun) {
      stack = false;
      entries.push({ ...newEntry(line, begun.verdict), seq: begun.seq });
      const entry = entries.at(-1);
      if (entry && begun.oldest !== null) readOldest(entry, begun.oldest, line);
      continue;
    }
    const entry = entries.at(-1);
    if (!entry) continue;
    const field = FIELD.exec(trimmed)?.groups;
    if (field?.name) {
      stack = field.name === "collective stack trace";
      readField(entry, { name: field.name, value: field.value ?? "" }, line);
    } else if (stack || /^\[\[?\{'name'/.test(trimmed)) readFrame(entry, trimmed, line);
    if (/^Found errors: /.test(trimmed)) readCulprits(entry, trimmed, line);
    // PyTorch 2.4 prints the missing ranks with the sentence, or wrapped on the next line.
    if (entry.missing.length === 0 && /^Missing ranks are \{/.test(trimmed)) readOldest(entry, trimmed, line);
  }
  return entries.map((entry) => ({ ...entry, cut: cutOf(entry) }));
}

function sentenceOf(row: string) {
  for (const [verdict, pattern] of SENTENCES) {
    const found = pattern.exec(row);
    if (!found) continue;
    const { seq, older, oldest } = found.groups ?? {};
    return { verdict, seq: seq || older ? Number(seq ?? older) : null, oldest: oldest ?? null };
  }
  return null;
}

function newEntry(line: number, verdict: FrVerdict): Entry {
  return {
    line,
    verdict,
    seq: null,
    collective: null,
    group: null,
    guid: null,
    size: null,
    expected: [],
    missing: [],
    culprits: [],
    against: null,
    numel: null,
    frame: null,
    lines: {},
    cut: null,
  };
}

function readField(entry: Entry, { name, value }: { name: string; value: string }, line: number): void {
  switch (name) {
    case "group info":
      entry.lines.group = line;
      readGroup(entry, value);
      return;
    case "collective":
      entry.lines.collective = line;
      entry.collective = /^(?:\w{1,20}:)?(?<name>[\w.]{1,80})/.exec(value)?.groups?.name ?? null;
      return;
    case "missing ranks":
      entry.lines.missing = line;
      entry.missing = ranksOf(value);
      return;
    case "total input numel":
      entry.numel = { in: Number(value), out: entry.numel?.out ?? Number.NaN };
      return;
    case "total output numel":
      entry.numel = { in: entry.numel?.in ?? Number.NaN, out: Number(value) };
      return;
    case "world size":
      entry.lines.size = line;
      entry.size = /^\d{1,9}$/.test(value) ? Number(value) : entry.size;
      return;
    case "expected ranks":
      entry.lines.size ??= line;
      if (value.startsWith("{")) entry.expected = ranksOf(value);
      // PyTorch 2.5 prints how many they are.
      else if (/^\d{1,9}$/.test(value)) entry.size = Number(value);
      entry.size ??= entry.expected.length || null;
      return;
    case "error msg":
    case "error message":
      readCulprits(entry, value, line);
      return;
    case "collective stack trace":
      readFrame(entry, value.trim(), line);
  }
}

/** `58:mesh_dp_shard`, or only the first where the group has no description. */
function readGroup(entry: Entry, value: string): void {
  const found = /^(?<guid>[^\s:]{1,120})(?::(?<group>\S{1,200}))?$/.exec(value.trim())?.groups;
  entry.guid = found?.guid ?? null;
  entry.group = found?.group && found.group !== "undefined" ? found.group : null;
}

function readCulprits(entry: Entry, value: string, line: number): void {
  entry.lines.culprits = line;
  entry.culprits = [...value.matchAll(CULPRIT)]
    .map(({ groups }) => ({ rank: Number(groups?.rank), kind: groups?.kind ?? "" }))
    .sort((a, b) => a.rank - b.rank);
  const against = AGAINST.exec(value)?.groups;
  if (against) entry.against = { expected: against.expected ?? "", found: against.found ?? "" };
}

function readFrame(entry: Entry, row: string, line: number): void {
  const found = FRAME.exec(row)?.groups ?? OLD_FRAME.exec(row)?.groups;
  if (!found || entry.frame !== null) return;
  entry.lines.frame = line;
  entry.frame = `${found.name} at ${found.file}:${found.number}`;
}

/** PyTorch 2.4: `0:default_pg collective nccl:all_reduce  Missing ranks are {1}  [[3, 4]] [[3, 4]] 2 scheduled`. */
function readOldest(entry: Entry, value: string, line: number): void {
  const found = OLDEST.exec(value)?.groups;
  if (found) {
    readGroup(entry, found.group ?? "");
    entry.collective = /^(?:\w{1,20}:)?(?<name>[\w.]{1,80})/.exec(found.collective ?? "")?.groups?.name ?? null;
    entry.lines.group = line;
    entry.lines.collective = line;
  }
  const missing = /Missing ranks are \{(?<ranks>[\d, ]{1,4000})\}/.exec(value)?.groups?.ranks;
  if (missing) {
    entry.missing = ranksOf(`{${missing}}`);
    entry.lines.missing = line;
  }
  const size = /\]\] (?<size>\d{1,9}) [a-z]{4,12}\s*$/.exec(value)?.groups?.size;
  if (size) {
    entry.size = Number(size);
    entry.lines.size = line;
  }
}

export function ranksOf(set: string): number[] {
  return [...new Set([...set.matchAll(/\d{1,9}/g)].map(([rank]) => Number(rank)))].sort((a, b) => a - b);
}

function cutOf(entry: Entry): string | null {
  if (entry.verdict === "missing" && entry.missing.length === 0) return "the missing ranks were not pasted";
  if (entry.verdict === "mismatch" && entry.culprits.length === 0)
    return "the error message with the ranks was not pasted";
  return null;
}
