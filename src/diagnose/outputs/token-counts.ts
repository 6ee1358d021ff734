// Token counts per expert, by layer, or per expert-parallel rank, from whatever people print them as.
import type { OutputLine, OutputText } from "./output-text.ts";

export interface ExpertCounts {
  layer: number | null;
  /** By global index of the expert. */
  counts: number[];
  lines: number[];
}

export interface RankCounts {
  ranks: number[];
  tokens: number[];
  lines: number[];
}

export interface TokenCounts {
  experts: ExpertCounts[];
  ranks: RankCounts | null;
  /** A list that torch printed with "..." in it, or that never closes. */
  cut: number | null;
  /** The line of shares between 0 and 1, where those stand in place of counts. */
  shares: number | null;
}

const WORD =
  /experts?\b|\btpe\b|tokens?[_ ]per[_ ](?:local[_ ])?expert|exp_counts|topk?[_ ](?:ids?[_ ])?counts?|expert_|专家/i;
const LAYER = /\blayers?[ :=._]{1,3}(\d{1,4})\b|"layer": ?(\d{1,4})|第\s?(\d{1,4})\s?层/i;
const RANK_WORD = /\b(?:ep[ _]?)?rank[ _]?(\d{1,6})\b/i;
const RANK_TOTAL =
  /^\s*(?:\[?(?:ep[ _]?)?rank[ _]?(?<rank>\d{1,6})\]?)[^\d\n]{1,30}?(?<tokens>\d{2,12})\b(?:\s*tokens?\b)?|^\s*(?:ep[ _]?)?rank[ _]?(?<r2>\d{1,6})\b[^\n]{0,60}?\btokens?\b[^\d\n]{0,12}(?<t2>\d{2,12})\b/i;
/** A list in brackets goes on for so many lines at most. */
const LIST_LINES = 400;

export function tokenCountsOf(text: OutputText): TokenCounts {
  const lists = listsOf(text);
  const tables = tablesOf(text);
  const merged = mergeByLayer([...lists.experts, ...tables.experts]);
  return { experts: merged, ranks: tables.ranks ?? ranksOf(text), cut: lists.cut, shares: lists.shares };
}

/** Micro-batches and steps of one layer are one sum; only lists of the same length can be. */
function mergeByLayer(all: readonly ExpertCounts[]): ExpertCounts[] {
  const layers = new Map<string, ExpertCounts>();
  for (const { layer, counts, lines } of all) {
    const key = `${layer ?? ""}/${counts.length}`;
    const known = layers.get(key);
    if (!known) layers.set(key, { layer, counts: [...counts], lines: [...lines] });
    else {
      for (const [at, n] of counts.entries()) known.counts[at] = (known.counts[at] ?? 0) + n;
      known.lines.push(...lines);
    }
  }
  return [...layers.values()];
}

/** Tensors, lists and dicts, on one line or many. */
function listsOf({ lines }: OutputText): { experts: ExpertCounts[]; cut: number | null; shares: number | null } {
  const experts: ExpertCounts[] = [];
  let cut: number | null = null;
  let shares: number | null = null;
  let layer: number | null = null;
  let titled = -9;
  for (let at = 0; at < lines.length; at++) {
    const { line, text, command } = lines[at] as OutputLine;
    if (command) continue;
    layer = layerOf(text) ?? layer;
    if (WORD.test(text)) titled = at;
    const bracket = text.search(/[[{]/);
    // "layer 18: 812 9 33 …" needs no brackets under a title that speaks of experts.
    const bare = /^\s*layers?[ _:=]{1,3}\d{1,4}\s*[:|]\s*((?:\d{1,10}[\s,]{1,8}){3,2000}\d{1,10})\s*$/i.exec(text)?.[1];
    if (bare && titled >= 0) {
      experts.push({ layer, counts: numbersIn(bare), lines: [line] });
      continue;
    }
    if (bracket < 0 || at - titled > 2) continue;
    const opened = text.slice(bracket);
    if (
      !/^[[{(\s]{0,6}["']?[\w -]{0,24}["']?\s?:?\s?[[{(\s]{0,6}\d|^\[\s*$|^\{\s*$/.test(opened) &&
      !/"(?:tpe|counts?|tokens_per_expert)"/.test(opened)
    )
      continue;
    const piece = closedFrom(lines, at, bracket);
    const body = piece.body;
    if (/\.\.\./.test(body) || !piece.closed) cut ??= line;
    const found = /\.\.\./.test(body) ? [] : countsIn(body);
    if (found.length === 1 && found[0]?.some((n) => !Number.isInteger(n))) shares ??= line;
    for (const counts of found) {
      if (counts.length >= 4 && counts.every((n) => Number.isInteger(n) && n >= 0))
        experts.push({ layer: layerOf(body) ?? layer, counts, lines: piece.lines });
    }
    at += piece.lines.length - 1;
  }
  return { experts, cut, shares };
}

function closedFrom(
  lines: readonly OutputLine[],
  from: number,
  bracket: number,
): { body: string; closed: boolean; lines: number[] } {
  let body = "";
  let depth = 0;
  const used: number[] = [];
  for (let at = from; at < lines.length && at < from + LIST_LINES; at++) {
    const { line, text } = lines[at] as OutputLine;
    const part = at === from ? text.slice(bracket) : text;
    used.push(line);
    for (const [index, sign] of [...part].entries()) {
      if (sign === "[" || sign === "{") depth += 1;
      if (sign === "]" || sign === "}") depth -= 1;
      if (depth === 0) return { body: `${body} ${part.slice(0, index + 1)}`, closed: true, lines: used };
    }
    body += ` ${part}`;
  }
  return { body, closed: false, lines: used };
}

/** "[2026-03-02 04:01:09]" in front of a line below the counts is no list of them. */
const TIME = /\d{1,4}[-/]\d{1,2}[-/]\d|\d{1,2}:\d{2}:\d{2}/;

/** Each innermost list is one count; a dict's keys give the order. */
function countsIn(body: string): number[][] {
  const dict = [...body.matchAll(/["']?(?:expert[ _]?)?(\d{1,5})["']?\s?:\s?(\d{1,12}(?:\.\d{1,12})?)\b(?!\s?:)/gi)];
  if (/^\s*\{/.test(body) && dict.length >= 4 && !body.includes("[")) {
    const counts: number[] = [];
    for (const [, key, n] of dict) counts[Number(key)] = Number(n);
    return [Array.from(counts, (n) => n ?? 0)];
  }
  return [...body.matchAll(/\[([^[\]{}]{1,200000})\]/g)]
    .filter((found) => !TIME.test(found[1] ?? ""))
    .map((found) => numbersIn(found[1] ?? ""))
    .filter((counts) => counts.length >= 4);
}

function numbersIn(text: string): number[] {
  return [...text.matchAll(/(?<![\w.])\d{1,12}(?:\.\d{1,12}(?:e[-+]?\d{1,3})?)?(?![\w])/gi)].map((found) =>
    Number(found[0]),
  );
}

function layerOf(text: string): number | null {
  const found = LAYER.exec(text);
  const printed = found?.[1] ?? found?.[2] ?? found?.[3];
  return printed === undefined ? null : Number(printed);
}

/** A table with a row for each expert, or for each rank. */
function tablesOf({ lines }: OutputText): { experts: ExpertCounts[]; ranks: RankCounts | null } {
  const experts = new Map<number | null, ExpertCounts>();
  const ranks: RankCounts = { ranks: [], tokens: [], lines: [] };
  let columns: { expert: number; rank: number; layer: number; tokens: number } | null = null;
  let layer: number | null = null;
  for (const { line, text } of lines) {
    layer = layerOf(text) ?? layer;
    const cells =
      text.includes(",") || text.includes("|")
        ? text
            .split(/[,|]/)
            .map((cell) => cell.trim())
            .filter((cell) => cell !== "")
        : text.trim().split(/\s+/);
    const head: { expert: number; rank: number; layer: number; tokens: number } | null = columnsOf(cells);
    if (head) {
      columns = head;
      continue;
    }
    if (!columns || cells.length <= Math.max(columns.tokens, columns.expert, columns.rank)) continue;
    const tokens = Number((cells[columns.tokens] ?? "").replaceAll(",", ""));
    const key = Number(cells[columns.expert >= 0 ? columns.expert : columns.rank]);
    if (!Number.isInteger(tokens) || !Number.isInteger(key) || key < 0 || key > 65_536) continue;
    if (columns.expert >= 0) {
      const own = columns.layer >= 0 ? Number(cells[columns.layer]) : layer;
      const group = experts.get(own) ?? { layer: own, counts: [], lines: [] };
      group.counts[key] = (group.counts[key] ?? 0) + tokens;
      group.lines.push(line);
      experts.set(own, group);
    } else {
      ranks.ranks.push(key);
      ranks.tokens.push(tokens);
      ranks.lines.push(line);
    }
  }
  const whole = [...experts.values()].map((group) => ({ ...group, counts: Array.from(group.counts, (n) => n ?? 0) }));
  return { experts: whole.filter(({ counts }) => counts.length >= 4), ranks: ranks.ranks.length >= 2 ? ranks : null };
}

function columnsOf(cells: readonly string[]) {
  if (cells.length < 2 || cells.length > 40 || cells.some((cell) => /^[-+]?\d/.test(cell))) return null;
  const tokens = cells.findIndex((cell) =>
    /^(?:num_?|n_?|routed_?|recv_?)?(?:tokens?|counts?|load)(?:_?count|_?routed|_?received)?$/i.test(cell),
  );
  const expert = cells.findIndex((cell) => /^(?:global_?|local_?)?expert(?:_?id|_?idx|_?index)?$/i.test(cell));
  const rank = cells.findIndex((cell) => /^(?:ep_?)?rank$/i.test(cell));
  const layer = cells.findIndex((cell) => /^layer(?:_?id|_?idx)?$/i.test(cell));
  return tokens >= 0 && (expert >= 0 || rank >= 0) ? { expert, rank, layer, tokens } : null;
}

/** "rank 0: 131072 tokens", or one number under each rank's prefix. */
function ranksOf({ lines }: OutputText): RankCounts | null {
  const sums = new Map<number, { tokens: number; line: number }>();
  const speaks =
    lines.some(({ text }) => /\btokens?\b/i.test(text) && RANK_WORD.test(text)) ||
    lines.some(({ text }) => /tokens?.{0,40}\b(?:ep[ _])?ranks?\b/i.test(text));
  for (const { line, text, rank, command } of lines) {
    if (command || /[[{]/.test(text.slice(0, 4))) continue;
    const found = RANK_TOTAL.exec(text)?.groups;
    const own = found ? Number(found.rank ?? found.r2) : rank;
    const tokens = found
      ? Number(found.tokens ?? found.t2)
      : Number(/\btokens?\b[^\d\n]{0,20}(\d{2,12})\b/i.exec(text)?.[1] ?? Number.NaN);
    if (own === null || !Number.isInteger(tokens) || !(speaks || rank !== null)) continue;
    const known = sums.get(own);
    sums.set(own, { tokens: (known?.tokens ?? 0) + tokens, line: known?.line ?? line });
  }
  if (sums.size < 2) return null;
  const sorted = [...sums].sort((a, b) => a[0] - b[0]);
  return {
    ranks: sorted.map(([rank]) => rank),
    tokens: sorted.map(([, one]) => one.tokens),
    lines: sorted.map(([, one]) => one.line),
  };
}
