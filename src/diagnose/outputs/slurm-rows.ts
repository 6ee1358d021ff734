// The tables of squeue and sacct and the key=value blocks of scontrol, as rows with named cells.
import type { OutputText } from "./output-text.ts";

export interface Cell {
  value: string;
  line: number;
}

export interface Row {
  /** By the name that `nameOf` gives a column. */
  cells: Record<string, Cell>;
  lines: number[];
}

const SQUEUE = /^\s*(?=.*\b(?:ST|STATE)\b)(?=.*\bJOBID\b)[A-Z][A-Z_() ]{8,300}$/;
const SACCT = /^\s*(?:JobID(?:Raw)?)\b[A-Za-z| ]{3,300}$/;
const UNDERLINE = /^[- ]{10,400}$/;
const SCONTROL = /^\s*JobId=\d/;
const KEY_VALUE = /\b([A-Za-z][A-Za-z:/]{1,30})=(\S{1,300})/g;

/** `nameOf` is asked with headers in capitals; columns it does not name are passed over. */
export function rowsOf(text: OutputText, nameOf: (header: string) => string | null): { header: number[]; rows: Row[] } {
  const header: number[] = [];
  const rows: Row[] = [];
  let table: { columns: string[]; spans: [number, number][] | null } | null = null;
  let block: Row | null = null;
  for (const { line, text: raw, command } of text.lines) {
    if (command) {
      [table, block] = [null, null];
      continue;
    }
    if (SQUEUE.test(raw) || SACCT.test(raw)) {
      table = { columns: split(raw), spans: null };
      block = null;
      header.push(line);
      continue;
    }
    if (table && UNDERLINE.test(raw)) {
      table.spans = [...raw.matchAll(/-+/g)].map((found): [number, number] => [
        found.index,
        found.index + found[0].length,
      ]);
      header.push(line);
      continue;
    }
    if (SCONTROL.test(raw)) {
      block = { cells: {}, lines: [] };
      table = null;
      rows.push(block);
    }
    if (block) {
      if (!/^\s*\w[\w:/]*=/.test(raw)) {
        block = null;
        continue;
      }
      addPairs(block, { raw, line, nameOf });
      continue;
    }
    const cells = table ? cellsOf(raw, table) : [];
    if (!table || cells.length === 0 || !/^\d/.test(cells[0] ?? "") || !table.columns[0]) {
      if (raw.trim() !== "" && !raw.includes("|")) table = null;
      continue;
    }
    const row: Row = { cells: {}, lines: [line] };
    for (const [at, column] of table.columns.entries()) {
      const name = nameOf(column.toUpperCase());
      const value = cells[at]?.trim();
      if (name && value) row.cells[name] ??= { value, line };
    }
    rows.push(row);
  }
  return { header, rows };
}

function addPairs(
  block: Row,
  { raw, line, nameOf }: { raw: string; line: number; nameOf(header: string): string | null },
): void {
  block.lines.push(line);
  for (const [, key = "", value = ""] of raw.matchAll(KEY_VALUE)) {
    const name = nameOf(key.toUpperCase());
    if (name) block.cells[name] ??= { value, line };
  }
}

function split(row: string): string[] {
  return row.includes("|") ? row.split("|").map((cell) => cell.trim()) : row.trim().split(/\s+/);
}

/** What a cell of these columns looks like; where a row lacks a cell, this and its place tell which. */
const LOOKS: readonly [RegExp, RegExp][] = [
  [/^(?:ExitCode|DerivedExitCode)$/i, /^\d{1,3}:\d{1,3}$/],
  [
    /^(?:Elapsed|TimeLimit|Time|Time_Limit|TotalCPU|AveCPU)$/i,
    /^(?:[\d-]{0,6}[\d:.]{4,12}|UNLIMITED|Partition_Limit|INVALID)$/i,
  ],
  [/^(?:MaxRSS|AveRSS|ReqMem|MaxVMSize)$/i, /^\d[\d.]{0,15}[KMGTP]?[nc]?$/i],
  [/^(?:State|ST|JobState)$/i, /^[A-Z_]{1,20}\+?$/],
  [/^(?:Nodes|NNodes|AllocNodes|AllocCPUS|NCPUS)$/i, /^\d{1,7}(?:-\d{1,7})?$/],
];

/** Cells in the order of the columns; squeue's last column may hold blanks, and sacct leaves cells empty. */
function cellsOf(row: string, { columns, spans }: { columns: string[]; spans: [number, number][] | null }): string[] {
  if (row.includes("|")) return row.split("|");
  const words = [...row.matchAll(/\S+(?: by \d{1,10})?/g)].map((found) => ({
    text: found[0],
    middle: found.index + found[0].length / 2,
  }));
  const last = columns.length - 1;
  if (words.length > columns.length) {
    return [
      ...words.slice(0, last),
      {
        text: words
          .slice(last)
          .map(({ text }) => text)
          .join(" "),
      },
    ].map(({ text }) => text);
  }
  if (words.length === columns.length) return words.map(({ text }) => text);
  const cost = (word: number, column: number): number => {
    const [from, to] = spans?.[column] ?? [0, 0];
    const looks = LOOKS.find(([name]) => name.test(columns[column] ?? ""))?.[1];
    const away = spans ? Math.abs((words[word]?.middle ?? 0) - (from + to) / 2) : 0;
    return (looks && !looks.test(words[word]?.text ?? "") ? 1000 : 0) + away;
  };
  const cells: string[] = columns.map(() => "");
  for (const [word, column] of place(words.length, columns.length, cost).entries())
    cells[column] = words[word]?.text ?? "";
  return cells;
}

/** The columns, rising, that words 0, 1, 2 … stand in at the least cost. */
function place(words: number, columns: number, cost: (word: number, column: number) => number): number[] {
  // best[w][c]: the least cost of placing words from w on in columns from c on, and where word w goes.
  const best: { sum: number; at: number }[][] = Array.from({ length: words + 1 }, () => []);
  for (let c = 0; c <= columns; c++) (best[words] ?? [])[c] = { sum: 0, at: -1 };
  for (let w = words - 1; w >= 0; w--) {
    const row = best[w] ?? [];
    row[columns] = { sum: Number.POSITIVE_INFINITY, at: -1 };
    for (let c = columns - 1; c >= 0; c--) {
      const here = cost(w, c) + (best[w + 1]?.[c + 1]?.sum ?? Number.POSITIVE_INFINITY);
      const later = row[c + 1] ?? { sum: Number.POSITIVE_INFINITY, at: -1 };
      row[c] = here <= later.sum ? { sum: here, at: c } : later;
    }
  }
  const placed: number[] = [];
  for (let w = 0, c = 0; w < words; w++) {
    const at = best[w]?.[c]?.at ?? -1;
    if (at < 0) return placed;
    placed.push(at);
    c = at + 1;
  }
  return placed;
}
