// Pieces of findings: numbers to three digits, lists that end early, lines that fit.
import type { ReadFacts, Said } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";

/** The most lines that one fact names. */
const LINES = 10;
/** A finding is one line of at most this many characters. */
const CHARS = 200;

/** 43.615 -> "43.6", 0.041 -> "0.041", 118472 -> "118472": three digits, whole numbers whole. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

/** "a, b and 3 more". */
export function some(items: readonly (string | number)[], most = 3): string {
  if (items.length <= most) return items.join(", ");
  return `${items.slice(0, most).join(", ")} and ${items.length - most} more`;
}

/** "a、b 等 5 个" */
export function someZh(items: readonly (string | number)[], most = 3): string {
  if (items.length <= most) return items.join("、");
  return `${items.slice(0, most).join("、")} 等 ${items.length} 个`;
}

/** 1 -> "1 link", 3 -> "3 links". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** Cut to one line that fits. */
export function said(en: string, zh: string): Said {
  // A list ends in a Latin name or in "3 个": a blank stands after the one only.
  return { en: fit(en), zh: fit(zh.replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})/gu, "")) };
}

function fit(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= CHARS ? line : `${line.slice(0, CHARS - 1)}…`;
}

export interface FactsBuilder {
  /** Undefined, null and not-a-number values are left out: what is not known is absent. */
  add(name: string, value: ReadFacts[string]["value"] | null | undefined, lines: readonly number[]): void;
  /** The one host that all of it comes from, where there is one. */
  addHost(text: OutputText): void;
  facts: ReadFacts;
}

export function createFacts(): FactsBuilder {
  const facts: ReadFacts = {};
  const add: FactsBuilder["add"] = (name, value, lines) => {
    if (value === undefined || value === null || (typeof value === "number" && !Number.isFinite(value))) return;
    facts[name] = {
      value: typeof value === "number" ? rounded(value) : value,
      lines: [...new Set(lines)].sort((a, b) => a - b).slice(0, LINES),
    };
  };
  return { facts, add, addHost: ({ host }) => add("host", host?.name, host ? [host.line] : []) };
}

/** Six digits are more than any tool measures; whole numbers stay whole. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(6));
}

/** Lists of what shares a key, in the order of its first. */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** The middle of a list; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** GiB of a size as tools print it: "1.0Ti", "431Gi", "38G", "524288 kB"; `unit` is meant where none is printed. */
export function gib(printed: string, unit: "B" | "K" | "M" | "G" = "B"): number | null {
  const found = /^(\d{1,30}(?:\.\d{1,20})?)\s?(?:([KMGTPE])?i?B?|([kmgtpe])i?B?|bytes?)$/.exec(printed.trim());
  if (!found) return null;
  const letter = found[2] ?? found[3]?.toUpperCase() ?? (/[a-zA-Z]$/.test(printed.trim()) ? "B" : unit);
  return Number(found[1]) * 1024 ** ("BKMGTPE".indexOf(letter) - 3);
}
