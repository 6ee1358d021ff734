// Reads token counts per expert or per expert-parallel rank: tensors, lists, tables, one number a rank. Says which is hot.
import type { FactValue } from "../facts/fact.ts";
import type { Curve } from "./curves.ts";
import { createExpertTable } from "./expert-table.ts";
import type { Line } from "./lines.ts";

export interface Experts {
  /** True asks for the next line: a list goes on. */
  look(line: Line): boolean;
  /** `rank`: whose load is asked for first, where a rank is known to have failed. */
  judge(rank: number | null): Curve | undefined;
}

interface Load {
  subcause: string;
  line: Line;
  ratio: number;
  facts: Record<string, FactValue>;
}

/** Every line of interest holds one of these. */
const NEAR_EXPERTS = /token|expert|exp_counts|load|rec(?:v|eived)|top|"tpe"|专家/i;
const COUNTS =
  /(?:tokens?[ _/-]{0,2}(?:per|on each|landing on each|to each)[ _/-]{0,2}(?:local[ _])?(?:expert|ep[ _]rank|rank)|tokens\/(?:expert|rank)|expert[ _](?:token[ _])?counts?|exp_counts|num_tokens_per_expert|"tpe"|每个专家|各专家|专家.{0,6}token)/i;
const RECEIVED = /(?:recv(?:_|eived )tokens|num_recv_tokens|tokens_received|received)\s{0,2}[=:]?\s{0,2}(\d{2,12})\b/i;
const MAX_MEAN =
  /(?:tokens?|experts?|load)[^|]{0,30}max(?:\/|_over_)mean["']?\s{0,2}[=: ]\s{0,2}(\d{1,6}(?:\.\d{1,6})?)/i;
/** "expert load: max 6210 mean 512 min 0 (expert 23)". */
const MAX_AND_MEAN =
  /(?:experts?|tokens?|token load)\b[^|\d]{0,30}\bmax[ =:]{1,3}(\d{1,10})\b[^|]{0,24}\b(?:mean|avg|average)[ =:]{1,3}(\d{1,10}(?:\.\d{1,6})?)/i;
/** "expert 41 on rank 5 tokens 50211 mean 6144", and what a person makes of it. */
const EXPERT_AND_MEAN =
  /experts?[ _#=:]{0,3}(\d{1,5})\b(?:[^\d\n]{1,12}?\brank[ _]?(\d{1,6})\b)?[^\d\n]{1,24}(\d{2,12})\b[^\d\n]{0,16}?(?:mean|average|avg|平均)[^\d\n]{0,12}(\d{1,12}(?:\.\d{1,6})?)(?![\d.])/i;
const EXPERT = /\bexpert[ _#=:]{1,2}(\d{1,5})\b/i;
const TOP_K = /topk?_?(?:idx|indices|ids)\b[^[]{0,20}\[([\d,\s]{1,4000})\]/i;
const TOP_SHARE = /top expert (\d{1,5})[^\d]{1,6}([\d,]{1,20}) of ([\d,]{1,20})/i;
const LAYER = /\blayers?[ :=._]{1,3}(\d{1,4})\b|第\s?(\d{1,4})\s?层/i;
const STEP = /\b(?:step|iter(?:ation)?)[ :=@]{1,3}(\d{1,9})\b/i;
const MOST_LINES_OF_A_LIST = 128;
const MOST_LOADS = 2_000;

/** An expert with so many times the mean is hot; so are ranks, whose ratio is smaller since each holds several experts. */
const HOT_EXPERT = 4;
const HOT_RANK = 2.5;
const HOT_RATIO_PRINTED = 4;

export function createExperts(): Experts {
  const loads: Load[] = [];
  let open: { line: Line; text: string; lines: number } | null = null;
  /** Tokens received, one number a rank. */
  const received = new Map<string, { rank: number; tokens: number; line: Line }[]>();
  const table = createExpertTable();
  let topK = 0;

  function look(line: Line): boolean {
    const text = line.text.length > 16_000 ? line.text.slice(0, 16_000) : line.text;
    if (open) {
      open.text += ` ${text}`;
      open.lines += 1;
      if (!closed(open.text) && open.lines < MOST_LINES_OF_A_LIST) return true;
      counted(open.line, open.text);
      open = null;
      return false;
    }
    if (table.look(line)) return true;
    if (!NEAR_EXPERTS.test(text)) return false;
    if (COUNTS.test(text)) {
      if (!closed(text)) {
        open = { line, text, lines: 1 };
        return true;
      }
      counted(line, text);
    }
    const tokens = RECEIVED.exec(text)?.[1];
    if (tokens && line.rank !== null && received.size < MOST_LOADS) {
      const key = `${STEP.exec(text)?.[1] ?? ""}/${LAYER.exec(text)?.[1] ?? ""}`;
      const group = received.get(key) ?? [];
      if (group.length < 8_192) group.push({ rank: line.rank, tokens: Number(tokens), line });
      received.set(key, group);
    }
    const ratio = Number(MAX_MEAN.exec(text)?.[1] ?? 0);
    if (ratio >= HOT_RATIO_PRINTED)
      keep({ subcause: "hot-expert", line, ratio, facts: { max_over_mean: ratio, ...placeOf(line, text) } });
    if (!summed(line, text)) named(line, text);
    routed(line, text);
    return false;
  }

  function keep(load: Load): void {
    if (loads.length < MOST_LOADS) loads.push(load);
  }

  function summed(line: Line, text: string): boolean {
    const found = MAX_AND_MEAN.exec(text);
    const [max, mean] = [Number(found?.[1]), Number(found?.[2])];
    if (!(max >= HOT_RATIO_PRINTED * mean && mean > 0)) return false;
    const expert = EXPERT.exec(text)?.[1];
    const named: Record<string, FactValue> = expert === undefined ? {} : { expert: Number(expert) };
    keep({
      subcause: "hot-expert",
      line,
      ratio: max / mean,
      facts: { max_tokens: max, mean_tokens: mean, ...named, ...placeOf(line, text) },
    });
    return true;
  }

  function named(line: Line, text: string): void {
    const found = text.includes("oken") ? EXPERT_AND_MEAN.exec(text) : null;
    const [max, mean] = [Number(found?.[3]), Number(found?.[4])];
    if (!(found && max >= HOT_RATIO_PRINTED * mean && mean > 0)) return;
    const own: Record<string, FactValue> = found[2] === undefined ? {} : { rank: Number(found[2]) };
    const facts = { expert: Number(found[1]), max_tokens: max, mean_tokens: mean, ...placeOf(line, text), ...own };
    keep({ subcause: "hot-expert", line, ratio: max / mean, facts });
  }

  /** The same expert for every token of a line, in several layers: the router has collapsed. */
  function routed(line: Line, text: string): void {
    const list = TOP_K.exec(text)?.[1];
    if (list) {
      const ids = list.split(",").map(Number);
      const first = ids[0];
      const same = ids.filter((id) => id === first).length;
      if (ids.length >= 6 && same === ids.length && first !== undefined) {
        topK += 1;
        keep({
          subcause: "router-collapse",
          line,
          ratio: topK >= 2 ? 50 : 3,
          facts: { expert: first, ...placeOf(line, text) },
        });
      }
    }
    const share = TOP_SHARE.exec(text);
    if (share) {
      const [top, all] = [share[2], share[3]].map((printed) => Number((printed ?? "").replaceAll(",", "")));
      if (top && all && top > 0.25 * all) {
        keep({ subcause: "hot-expert", line, ratio: 20, facts: { expert: Number(share[1]), ...placeOf(line, text) } });
      }
    }
  }

  function counted(line: Line, text: string): void {
    const perRank = /(?:ep[ _]?rank|per[ _]rank|each rank|tokens\/rank)/i.test(text);
    const values = countsIn(text);
    if (values.length < 4) return;
    const total = values.reduce((sum, value) => sum + value, 0);
    const mean = total / values.length;
    const max = Math.max(...values);
    if (mean < 1) return;
    const ratio = max / mean;
    const dead = values.filter((value) => value < 0.01 * mean).length;
    const at = values.indexOf(max);
    const facts: Record<string, FactValue> = {
      max_tokens: max,
      mean_tokens: Math.round(mean * 10) / 10,
      max_over_mean: Math.round(ratio * 100) / 100,
      ...placeOf(line, text),
    };
    const limit = perRank ? HOT_RANK : values.length <= 16 ? Math.min(HOT_EXPERT, values.length / 3) : HOT_EXPERT;
    if (perRank) facts.rank = at;
    else {
      facts.expert = at;
      facts.experts = values.length;
      facts.dead_experts = dead;
    }
    facts.balanced = ratio < 1.5;
    const hot = ratio >= limit || dead * 2 >= values.length;
    keep({ subcause: perRank ? "ep-rank-skew" : "hot-expert", line, ratio: hot ? Math.max(ratio, 4) : 0, facts });
  }

  /** A row for each expert: the line of the hottest one states it. */
  function skewOfTables(): void {
    for (const { layer, step, rows } of table.all()) {
      if (rows.length < 4) continue;
      const mean = rows.reduce((sum, row) => sum + row.tokens, 0) / rows.length;
      const hot = rows.reduce((a, b) => (b.tokens > a.tokens ? b : a));
      if (mean < 1 || hot.tokens < Math.min(HOT_EXPERT, rows.length / 3) * mean) continue;
      const facts: Record<string, FactValue> = { expert: hot.expert, experts: rows.length, max_tokens: hot.tokens };
      facts.mean_tokens = Math.round(mean * 10) / 10;
      facts.max_over_mean = Math.round((hot.tokens / mean) * 100) / 100;
      if (layer !== null) facts.layer = layer;
      if (step !== null) facts.step = step;
      keep({ subcause: "hot-expert", line: hot.line, ratio: Math.max(hot.tokens / mean, 4), facts });
    }
  }

  function skewOfRanks(): void {
    for (const group of received.values()) {
      if (new Set(group.map((one) => one.rank)).size < 4) continue;
      const tokens = group.map((one) => one.tokens).sort((a, b) => a - b);
      const middle = tokens[tokens.length >> 1] as number;
      const hot = group.reduce((a, b) => (b.tokens > a.tokens ? b : a));
      if (middle < 1 || hot.tokens < HOT_RANK * middle) continue;
      keep({
        subcause: "hot-rank",
        line: hot.line,
        ratio: hot.tokens / middle + 100,
        facts: { rank: hot.rank, max_tokens: hot.tokens, ...placeOf(hot.line, hot.line.text) },
      });
    }
  }

  return {
    look,
    judge(rank) {
      skewOfRanks();
      skewOfTables();
      const all = loads.filter((load) => load.ratio >= 2.5);
      const own = all.filter((load) => rank !== null && load.line.rank === rank);
      const hot = own.length > 0 ? own : all;
      const worst = hot.sort((a, b) => b.ratio - a.ratio || a.line.line - b.line.line)[0];
      if (!worst) return undefined;
      // The first line of its kind states it; the worst one may come much later.
      const first =
        hot.filter((load) => load.subcause === worst.subcause).sort((a, b) => a.line.line - b.line.line)[0] ?? worst;
      const chosen = worst.subcause === "router-collapse" ? first : worst;
      const facts: Curve["facts"] = {};
      // A rank tells the ratio in one line and the counts in the next.
      const near = hot.filter((load) => load.line.rank === chosen.line.rank && isNear(load.line, chosen.line));
      for (const load of [chosen, ...near])
        for (const [name, value] of Object.entries(load.facts)) facts[name] ??= { value, lines: [load.line] };
      return {
        label: "expert-imbalance",
        subcause: chosen.subcause,
        line: chosen.line,
        also: first === chosen ? [] : [first.line],
        facts,
        strong: chosen.ratio >= 3,
      };
    },
  };
}

function isNear(a: Line, b: Line): boolean {
  return a.source === b.source && Math.abs(a.line - b.line) <= 8;
}

function placeOf(line: Line, text: string): Record<string, FactValue> {
  const place: Record<string, FactValue> = {};
  const found = LAYER.exec(text);
  const layer = found?.[1] ?? found?.[2];
  const step = STEP.exec(text)?.[1];
  if (layer) place.layer = Number(layer);
  if (step) place.step = Number(step);
  if (line.rank !== null) place.rank = line.rank;
  return place;
}

function closed(text: string): boolean {
  const opened = text.lastIndexOf("[");
  const braced = text.lastIndexOf("{");
  if (opened < 0 && braced < 0) return true;
  return text.includes(opened >= 0 ? "]" : "}", Math.max(opened, braced));
}

/** The numbers of the innermost list, of a dict's values, or of "0: 0.41M  1: 0.39M". */
function countsIn(text: string): number[] {
  const lists = [...text.matchAll(/\[([\d,\s]{3,60000})\]/g)].map((match) =>
    (match[1] ?? "").split(/[\s,]+/).filter((number) => number !== "" && number.length <= 12),
  );
  const list = lists.find((numbers) => numbers.length >= 4);
  if (list) return list.map(Number);
  const nested = lists.map((numbers) => numbers.map(Number));
  const width = nested[0]?.length ?? 0;
  if (width >= 2 && nested.every((row) => row.length === width)) {
    return nested.reduce((sum, row) => row.map((value, index) => value + (sum[index] ?? 0)), [] as number[]);
  }
  const pairs = [
    ...text.matchAll(/["']?(?:expert_|rank ?)?(\d{1,4})["']?\s?: {0,3}(\d{1,12}(?:\.\d{1,4})?)([kKMG]?)\b/g),
  ];
  const unit: Record<string, number> = { k: 1e3, K: 1e3, M: 1e6, G: 1e9 };
  return pairs.map((match) => Number(match[2]) * (unit[match[3] ?? ""] ?? 1));
}
