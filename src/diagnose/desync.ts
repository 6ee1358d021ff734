// Same place in the row of one group, another operation or size on one rank: the others wait for it in vain.
import type { Finds, Hit } from "./finds.ts";
import { reporterOf } from "./waiting.ts";

export interface Odd {
  rank: number;
  hit: Hit;
  /** What the others wait in. */
  others: Hit;
}

/** An all-to-all moves other amounts on every rank, and so do sends. */
const UNEVEN = /ALLTOALL|SEND|RECV|GATHER$|SCATTER$|COALESCED|COALESCING/;

/** One rank against at least two that agree. Undefined where none stands out. */
export function oddOneOut(finds: Finds): Odd | undefined {
  const works = new Map<string, Map<number, Hit>>();
  for (const hit of linesOfWork(finds)) {
    const rank = reporterOf(hit);
    const seq = groupOf(hit, "seq");
    if (rank === null || seq === undefined || groupOf(hit, "collective") === undefined) continue;
    const group = groupOf(hit, "pg_guid") ?? groupOf(hit, "process_group") ?? groupOf(hit, "pg_id") ?? "";
    const key = `${group}/${seq}`;
    const ranks = works.get(key) ?? new Map<number, Hit>();
    if (!ranks.has(rank)) ranks.set(rank, hit);
    works.set(key, ranks);
  }
  for (const ranks of works.values()) {
    const odd = oddIn(ranks);
    if (odd) return odd;
  }
  return undefined;
}

/** What several signatures read from one line, together. */
function linesOfWork(finds: Finds): Hit[] {
  const byLine = new Map<string, Hit>();
  for (const kept of finds.kept()) {
    if (kept.rule.label !== "nccl-timeout") continue;
    for (const hit of kept.hits) {
      const key = `${hit.line.source}:${hit.line.line}`;
      const there = byLine.get(key);
      byLine.set(key, there ? { ...there, groups: { ...hit.groups, ...there.groups } } : hit);
    }
  }
  return [...byLine.values()];
}

function oddIn(ranks: ReadonlyMap<number, Hit>): Odd | undefined {
  const byShape = new Map<string, [number, Hit][]>();
  for (const entry of ranks) {
    const shape = shapeOf(entry[1]);
    const same = byShape.get(shape) ?? [];
    same.push(entry);
    byShape.set(shape, same);
  }
  if (byShape.size !== 2) return undefined;
  const [most, few] = [...byShape.values()].sort((a, b) => b.length - a.length);
  const one = few?.[0];
  if (!most?.[0] || !one || few.length !== 1 || most.length < 2) return undefined;
  return { rank: one[0], hit: one[1], others: most[0][1] };
}

function shapeOf(hit: Hit): string {
  const operation = groupOf(hit, "collective") ?? "";
  return UNEVEN.test(operation) ? operation : `${operation}/${groupOf(hit, "numel_in") ?? ""}`;
}

function groupOf(hit: Hit, name: string): string | undefined {
  return hit.groups[name] ?? hit.groups[`${name}__2`];
}
