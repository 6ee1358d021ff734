// The facts known in a walk: which entry gave each, which of them make a condition hold, and the lines they were read from.
import { type Condition, factsOf, holds } from "../facts/condition.ts";
import type { FactValue, LineRef } from "../facts/fact.ts";

export interface KnownFact {
  value: FactValue;
  lines: LineRef[];
  /** The newest entry that gave it. */
  entry: number;
}

export type KnownFacts = Readonly<Record<string, KnownFact>>;

/** A line of a source of the paste that is entry number `entry`. */
export interface EntryLine extends LineRef {
  entry: number;
}

/** The most lines that one settled step names. */
const LINES_SHOWN = 10;

/** The values of facts that came after an entry. */
export function valuesSince(facts: KnownFacts, since: number): Record<string, FactValue> {
  const newer = Object.entries(facts).filter(([, fact]) => fact.entry > since);
  return Object.fromEntries(newer.map(([name, fact]) => [name, fact.value]));
}

/** The facts that make a condition hold: of an `any`, only the parts that do. */
export function support(condition: Condition, values: Readonly<Record<string, FactValue>>): string[] {
  const names = (part: Condition): string[] => {
    if ("all" in part) return part.all.flatMap(names);
    if ("any" in part) return part.any.filter((one) => holds(one, values) === true).flatMap(names);
    return factsOf(part).filter((name) => Object.hasOwn(values, name));
  };
  return [...new Set(names(condition))];
}

/** The lines of some facts, each once, oldest entry first. */
export function linesOf(facts: KnownFacts, names: readonly string[]): EntryLine[] {
  const all = names.flatMap((name) => {
    const fact = facts[name];
    return fact ? fact.lines.map((at) => ({ entry: fact.entry, source: at.source, line: at.line })) : [];
  });
  const unique = [...new Map(all.map((at) => [`${at.entry} ${at.source} ${at.line}`, at])).values()];
  return unique.sort((a, b) => a.entry - b.entry || a.source - b.source || a.line - b.line).slice(0, LINES_SHOWN);
}
