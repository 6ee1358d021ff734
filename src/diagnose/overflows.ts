// fp16 finds its loss scale by halving it at every overflow. Where it collapses, the first of the overflows in a row states it.
import type { Finds } from "./finds.ts";
import type { Line } from "./lines.ts";

/** Overflows with more lines between them are not in a row. */
const IN_A_ROW = 40;
const OVERFLOW = "overflow-skipped";

export function firstOfOverflows(finds: Finds, collapse: Line): Line {
  const hits = finds.kept().find(({ rule }) => rule.id === OVERFLOW)?.hits ?? [];
  let first = collapse;
  for (const { line } of [...hits].reverse()) {
    if (line.source !== first.source || line.line >= first.line) continue;
    if (first.line - line.line > IN_A_ROW) break;
    first = line;
  }
  return first;
}

/** A scale so small is where a collapse ends. */
const COLLAPSED = 4;

/** The scale that the overflows ended at, where they did not stop at one that trains. */
export function collapsedScale(finds: Finds): { scale: number; line: Line } | undefined {
  const last = finds
    .kept()
    .find(({ rule }) => rule.id === OVERFLOW)
    ?.hits.at(-1);
  const scale = Number(last?.groups.loss_scale ?? Number.NaN);
  return last && scale <= COLLAPSED ? { scale, line: last.line } : undefined;
}
