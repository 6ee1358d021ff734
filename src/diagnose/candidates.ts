// Literals of all signatures -> one alternation -> the few lines worth a closer look.
import type { Rule } from "../facts/signature.ts";

export interface Compiled {
  rule: Rule;
  pattern: RegExp;
  literals: string[];
}

export interface Candidates {
  /** Global; finds any literal in bytes read as Latin-1. Compiled from literals alone, so it is linear. */
  any: RegExp;
  /** The signatures whose literal stands in the text. */
  of(text: string): Compiled[];
}

/** What every reader looks for besides signatures: the frames and ends of tracebacks, and the numbers of training lines. */
const ALWAYS = [
  "Traceback (most",
  'File "',
  "Error",
  "Exception",
  "Interrupt",
  "local_rank: ",
  "host      : ",
  "cudaDev ",
];
const NUMBERS = ["loss", "Loss", "grad", "norm:", "tokens_per_expert", "max_vio", "MaxVio"];

export function compileCandidates(rules: readonly Rule[]): Candidates {
  const compiled = rules.map((rule) => ({
    rule,
    pattern: new RegExp(rule.pattern),
    literals: [rule.literal ?? []].flat(),
  }));
  const literals = compiled.flatMap((one) => one.literals);
  const shortest = minimal(literals);
  const byShortest = new Map<string, { literal: string; one: Compiled }[]>(shortest.map((literal) => [literal, []]));
  for (const one of compiled) {
    for (const literal of one.literals) {
      const inside = shortest.find((short) => literal.includes(short));
      if (inside !== undefined) byShortest.get(inside)?.push({ literal, one });
    }
  }
  const search = shortest.length > 0 ? new RegExp(alternation(shortest), "g") : undefined;
  return {
    any: new RegExp(alternation(minimal([...literals, ...ALWAYS, ...NUMBERS]).map(utf8AsLatin1)), "g"),
    of: (text) => (search ? signaturesIn(text, search, byShortest) : []),
  };
}

/** Literals overlap, so the search goes on one character after each find. */
function signaturesIn(
  text: string,
  search: RegExp,
  byShortest: ReadonlyMap<string, { literal: string; one: Compiled }[]>,
): Compiled[] {
  search.lastIndex = 0;
  let match = search.exec(text);
  if (!match) return NONE;
  const found = new Set<Compiled>();
  const seen = new Set<string>();
  for (; match; match = search.exec(text)) {
    search.lastIndex = match.index + 1;
    const short = match[0];
    if (seen.has(short)) continue;
    seen.add(short);
    for (const { literal, one } of byShortest.get(short) ?? []) if (text.includes(literal)) found.add(one);
  }
  return [...found];
}

const NONE: Compiled[] = [];

/** A literal that holds another is found by the other. */
function minimal(literals: string[]): string[] {
  const unique = [...new Set(literals)].sort((a, b) => a.length - b.length);
  const kept: string[] = [];
  for (const literal of unique) if (!kept.some((shorter) => literal.includes(shorter))) kept.push(literal);
  return kept;
}

function alternation(literals: string[]): string {
  return literals.map((literal) => literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|");
}

/** The bytes of a literal, one character each: the search runs before anything is decoded. */
function utf8AsLatin1(literal: string): string {
  return Buffer.from(literal, "utf8").toString("latin1");
}
