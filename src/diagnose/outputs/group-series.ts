// Times of collectives by group and step, from whatever people print them as: long and wide tables, lines, JSON lines.
import type { OutputText } from "./output-text.ts";

export interface GroupPoint {
  step: number;
  /** Milliseconds. */
  ms: number;
  line: number;
}

export interface GroupSeries {
  /** As printed: "3", "ep3". */
  name: string;
  /** In order of steps. */
  points: GroupPoint[];
}

const A2A = /\b(?:a2a|all[_ -]?to[_ -]?all|alltoall)|\bep_?(?:dispatch|combine)/i;
const STEP = /["']?\b(?:step|iter(?:ation)?)["']?\s{0,2}[=: ]\s{0,2}(\d{1,9})\b/i;
const GROUP =
  /["']?\b(?:ep[_ -]?(?:group|domain)|expert[_ -](?:parallel[_ -])?group|group|pg)["']?\s{0,2}[=:# ]?\s{0,2}["']?((?:ep[_-]?)?\d{1,5})\b/i;
/** The name of the operation, perhaps with the unit in it, then the number, perhaps with the unit behind it. */
const TIME =
  /(?:a2a|all[_ -]?to[_ -]?all|alltoall|dispatch|combine)[A-Za-z_ ]{0,16}?(?:[_(](?<in>ms|us|s)\)?)?["']?\s{0,2}[=: ]\s{0,2}(?<value>\d{1,9}(?:\.\d{1,9})?)(?:\s?(?<unit>ms|us|µs|s))?\b/i;
const FACTOR: Record<string, number> = { ms: 1, us: 1e-3, µs: 1e-3, s: 1e3 };
/** So many groups there may be; more is another table. */
const MOST_GROUPS = 4_096;

/** Null where the text holds no such series: all-to-all must be named, and three steps of a group be there. */
export function groupSeriesOf(text: OutputText): { groups: GroupSeries[]; lines: number[] } | null {
  const named = text.lines.some((line) => A2A.test(line.text));
  if (!named) return null;
  const series = new Map<string, GroupPoint[]>();
  const add = (name: string, point: GroupPoint): void => {
    const points = series.get(name);
    if (points) points.push(point);
    else if (series.size < MOST_GROUPS) series.set(name, [point]);
  };
  readTables(text, add);
  if (series.size === 0) readLines(text, add);
  const groups = [...series].map(([name, points]) => ({ name, points: points.sort((a, b) => a.step - b.step) }));
  if (!groups.some(({ points }) => points.length >= 3)) return null;
  const lines = [...new Set(groups.flatMap(({ points }) => points.map(({ line }) => line)))].sort((a, b) => a - b);
  return { groups, lines };
}

type Add = (name: string, point: GroupPoint) => void;

function readLines({ lines }: OutputText, add: Add): void {
  for (const { line, text, command } of lines) {
    if (command || text.length > 2_000 || !A2A.test(text)) continue;
    const [step, group, time] = [STEP.exec(text), GROUP.exec(text), TIME.exec(text)?.groups];
    if (!step || !group || !time) continue;
    const ms = Number(time.value) * (FACTOR[(time.unit ?? time.in ?? "ms").toLowerCase()] ?? 1);
    add(group[1] ?? "", { step: Number(step[1]), ms, line });
  }
}

interface Columns {
  step: number;
  group: number;
  times: { at: number; name: string | null; factor: number }[];
}

/** A header with a step, then either a group and a time, or a column for each group. */
function readTables({ lines }: OutputText, add: Add): void {
  let columns: Columns | null = null;
  let factor = 1;
  for (const { line, text } of lines) {
    const unit = A2A.test(text) ? /[_( ](ms|us|µs|s)\b/.exec(text)?.[1] : undefined;
    if (unit) factor = FACTOR[unit] ?? 1;
    const cells = cellsOf(text);
    const head = columnsOf(cells, factor);
    if (head) {
      columns = head;
      continue;
    }
    if (!columns || cells.length <= columns.step) continue;
    const step = numberIn(cells[columns.step]);
    if (step === null || !Number.isInteger(step)) continue;
    for (const { at, name, factor: own } of columns.times) {
      const value = numberIn(cells[at]);
      const group = name ?? cells[columns.group];
      if (value !== null && group) add(group, { step, ms: value * own, line });
    }
  }
}

function cellsOf(text: string): string[] {
  const cut = /[,|\t]/.test(text) ? text.split(/[,|\t]/) : text.trim().split(/\s+/);
  return cut.map((cell) => cell.trim().replace(/^["']|["']$/g, "")).filter((cell) => cell !== "");
}

function numberIn(cell: string | undefined): number | null {
  return cell !== undefined && /^\d{1,12}(?:\.\d{1,9})?$/.test(cell) ? Number(cell) : null;
}

function columnsOf(cells: readonly string[], factor: number): Columns | null {
  if (cells.length < 2 || cells.length > MOST_GROUPS || cells.some((cell) => /^[-+]?\d/.test(cell))) return null;
  const step = cells.findIndex((cell) => /^(?:global_?)?(?:step|iter(?:ation)?)$/i.test(cell));
  if (step < 0) return null;
  const group = cells.findIndex((cell) => /^(?:ep_?|expert_?)?(?:group|domain|pg)(?:_?id)?$/i.test(cell));
  const times = cells.flatMap((cell, at): Columns["times"] => {
    const unit = /[_(](ms|us|µs|s)\)?$/i.exec(cell)?.[1]?.toLowerCase();
    const own = unit ? (FACTOR[unit] ?? 1) : factor;
    if (group >= 0) return A2A.test(cell) ? [{ at, name: null, factor: own }] : [];
    const name =
      /^(?:a2a_|alltoall_)?((?:ep|pg|group|ep_?group)[_-]?\d{1,5})(?:_(?:a2a|alltoall))?(?:_(?:ms|us|s))?$/i.exec(cell);
    return name ? [{ at, name: name[1] ?? cell, factor: own }] : [];
  });
  // Of several times of a group, the first is the one that is asked for.
  const kept = group >= 0 ? times.slice(0, 1) : times;
  return kept.length > 0 ? { step, group, times: kept } : null;
}
