// Reads token counts from a table with a row for each expert: "layer,expert,tokens", from a csv or a printed data frame.
import type { Line } from "./lines.ts";

/** The counts of one layer at one step, in the order of the rows. */
export interface CountsOfLayer {
  layer: number | null;
  step: number | null;
  rows: { expert: number; tokens: number; line: Line }[];
}

export interface ExpertTable {
  /** True while the line belongs to a table. */
  look(line: Line): boolean;
  all(): CountsOfLayer[];
}

interface Columns {
  source: number;
  expert: number;
  tokens: number;
  layer: number;
  step: number;
}

const MOST_ROWS = 65_536;
const EXPERT = /^(?:global_|local_)?expert(?:_?id|_?idx|_?index)?$/i;
const TOKENS = /^(?:num_?|n_?|routed_)?(?:tokens?|counts?|load)(?:_?count|_?routed|_per_expert)?$/i;

export function createExpertTable(): ExpertTable {
  const groups = new Map<string, CountsOfLayer>();
  let columns: Columns | null = null;
  let rows = 0;

  function look(line: Line): boolean {
    if (columns === null && !/expert/i.test(line.text)) return false;
    const cells = cellsOf(line.text);
    if (columns?.source === line.source && rows < MOST_ROWS) {
      const row = cells.map(Number);
      const [expert, tokens] = [row[columns.expert], row[columns.tokens]];
      if (Number.isInteger(expert) && tokens !== undefined && Number.isFinite(tokens) && tokens >= 0) {
        keep(numberAt(row, columns.layer), numberAt(row, columns.step), { expert: expert as number, tokens, line });
        return true;
      }
    }
    columns = columnsOf(line.source, cells);
    return columns !== null;
  }

  function keep(layer: number | null, step: number | null, row: CountsOfLayer["rows"][number]): void {
    const key = `${row.line.source}/${step ?? ""}/${layer ?? ""}`;
    const group = groups.get(key) ?? { layer, step, rows: [] };
    rows += 1;
    group.rows.push(row);
    groups.set(key, group);
  }

  return { look, all: () => [...groups.values()] };
}

function numberAt(row: readonly number[], at: number): number | null {
  const value = at < 0 ? undefined : row[at];
  return value !== undefined && Number.isFinite(value) ? value : null;
}

function columnsOf(source: number, cells: readonly string[]): Columns | null {
  if (cells.length < 2 || cells.length > 64 || cells.some((cell) => /^[-+.\d]/.test(cell))) return null;
  const expert = cells.findIndex((cell) => EXPERT.test(cell));
  const tokens = cells.findIndex((cell) => TOKENS.test(cell));
  if (expert < 0 || tokens < 0) return null;
  const layer = cells.findIndex((cell) => /^layer(?:_?id|_?idx)?$/i.test(cell));
  const step = cells.findIndex((cell) => /^(?:global_)?(?:step|iter(?:ation)?)$/i.test(cell));
  return { source, expert, tokens, layer, step };
}

function cellsOf(text: string): string[] {
  const trimmed = text.trim().slice(0, 2_000);
  const cells = /[,\t|;]/.test(trimmed) ? trimmed.split(/[,\t|;]/) : trimmed.split(/ {2,}/);
  return cells.map((cell) => cell.trim().replace(/^"|"$/g, "")).filter((cell) => cell !== "");
}
