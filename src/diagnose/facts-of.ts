// From groups of signatures, curves and prefixes to typed facts under the names of the catalogue, each with its lines.
import { FACTS } from "../facts/catalogue.ts";
import type { Facts, FactValue } from "../facts/fact.ts";
import type { Claim } from "./claims.ts";
import type { Finds, Hit, Kept } from "./finds.ts";
import type { Line } from "./lines.ts";

const GIB = 1_073_741_824;
const MIB = 1_048_576;
const BYTES: Record<string, number> = { "": 1, b: 1, k: 1024, m: MIB, g: GIB, t: GIB * 1024 };

interface Found {
  facts: Facts;
  /** Facts of the root's own line come first and are not replaced. */
  put(name: string, value: FactValue, line: Line): void;
}

export function factsOf(finds: Finds, root: Claim | undefined, claims: readonly Claim[] = []): Facts {
  const found = createFound();
  const kept = finds.kept().filter((one) => one.rule.weight !== "against");
  if (root?.curve)
    for (const [name, fact] of Object.entries(root.curve.facts))
      for (const line of fact.lines.slice(0, 1)) found.put(name, fact.value, line);
  if (root) for (const one of kept) for (const hit of one.hits) if (isSame(hit.line, root.line)) fromHit(hit, found);
  if (root?.raised) fromException(root.raised, found);
  else if (root) for (const raised of finds.raised()) if (isSame(raised.line, root.line)) fromException(raised, found);
  // An exception says that the loss spiked; the numbers of the same fault say from where to where.
  for (const claim of claims)
    if (claim.curve && claim.label === root?.label)
      for (const [name, fact] of Object.entries(claim.curve.facts))
        for (const line of fact.lines.slice(0, 1)) found.put(name, fact.value, line);
  for (const one of kept) fromHit(nearest(one, root?.line), found);
  return found.facts;
}

function createFound(): Found {
  const facts: Facts = {};
  return {
    facts,
    put(name, value, line) {
      const at = { source: line.source, line: line.line };
      const there = facts[name];
      if (!there) facts[name] = { value, lines: [at] };
      else if (
        there.value === value &&
        there.lines.length < 50 &&
        !there.lines.some((one) => one.source === at.source && one.line === at.line)
      ) {
        there.lines.push(at);
      }
    },
  };
}

function isSame(a: Line, b: Line): boolean {
  return a.source === b.source && a.line === b.line;
}

/** Of many hits of one signature, the one on the root's rank, else the first. */
function nearest(kept: Kept, root: Line | undefined): Hit {
  const same = root?.rank != null ? kept.hits.find((hit) => hit.line.rank === root.rank) : undefined;
  return same ?? kept.first;
}

function fromHit(hit: Hit, found: Found): void {
  for (const [name, value] of Object.entries(hit.rule.implies ?? {})) found.put(name, value, hit.line);
  for (const [group, printed] of Object.entries(hit.groups)) {
    const read = readGroup(group, printed);
    if (read) found.put(read.name, read.value, hit.line);
  }
}

function fromException(raised: { line: Line; type: string; message: string }, found: Found): void {
  found.put("error", raised.type, raised.line);
  if (raised.message !== "") found.put("message", raised.message.trim(), raised.line);
}

/** `tried_alloc_size` "3.50 GiB" -> tried_alloc_gib 3.5; lists read all their numbers; `seq__2` is seq. */
export function readGroup(group: string, printed: string): { name: string; value: FactValue } | undefined {
  const name = group.replace(/__\d+$/, "");
  if (name.endsWith("_size")) return readSize(name.slice(0, -5), printed);
  const kind = FACTS[name];
  if (!kind) return undefined;
  const text = printed.trim();
  if (text === "") return undefined;
  switch (kind.type) {
    case "number": {
      const value = Number(text.replaceAll(",", ""));
      return Number.isFinite(value) ? { name, value } : undefined;
    }
    case "numbers": {
      const value = numbersIn(text);
      return value.length > 0 ? { name, value } : undefined;
    }
    case "texts":
      return { name, value: text.split(/[\s,;]+/).filter(Boolean) };
    case "flag":
      return { name, value: /^(?:true|yes|1|ok)$/i.test(text) };
    default:
      return { name, value: text };
  }
}

/** "{2, 5}" -> [2, 5]; "0-3" -> [0, 1, 2, 3]. */
function numbersIn(text: string): number[] {
  const numbers: number[] = [];
  for (const match of text.matchAll(/(\d+)(?:\s?-\s?(\d+))?/g)) {
    const from = Number(match[1]);
    const to = match[2] === undefined ? from : Number(match[2]);
    for (let value = from; value <= to && numbers.length < 4_096; value += 1) numbers.push(value);
  }
  return numbers;
}

function readSize(name: string, printed: string): { name: string; value: FactValue } | undefined {
  const match = /^([\d.,]+)\s*([KMGT]?)(?:i?B)?(?:ytes)?$/i.exec(printed.trim());
  if (!match?.[1]) return undefined;
  const unit = (match[2] ?? "").toLowerCase();
  const value = Number(match[1].replaceAll(",", ""));
  if (!Number.isFinite(value)) return undefined;
  const gib = `${name}_gib`;
  const mib = `${name}_mib`;
  if ((unit === "m" || unit === "k" || unit === "") && FACTS[mib]) {
    return { name: mib, value: unit === "m" ? value : (value * (BYTES[unit] ?? 1)) / MIB };
  }
  if (!FACTS[gib]) return undefined;
  return { name: gib, value: unit === "g" ? value : round((value * (BYTES[unit] ?? 1)) / GIB) };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
