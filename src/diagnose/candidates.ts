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
  const byLiteral = new Map<string, Compiled[]>();
  for (const one of compiled) {
    for (const literal of one.literals) byLiteral.set(literal, [...(byLiteral.get(literal) ?? []), one]);
  }
  const literals = [...byLiteral.keys()];
  const shortest = minimal([...literals, ...ALWAYS, ...NUMBERS]);
  const some = literals.length > 0 ? new RegExp(alternation(minimal(literals))) : undefined;
  return {
    any: new RegExp(alternation(shortest.map(utf8AsLatin1)), "g"),
    of: (text) => (some?.test(text) ? signaturesIn(text, literals, byLiteral) : []),
  };
}

/** Literals overlap, so a global match would miss some: each is looked up, on the few lines that come this far. */
function signaturesIn(text: string, literals: string[], byLiteral: Map<string, Compiled[]>): Compiled[] {
  const found = new Set<Compiled>();
  for (const literal of literals) {
    if (!text.includes(literal)) continue;
    for (const one of byLiteral.get(literal) ?? []) found.add(one);
  }
  return [...found];
}

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
