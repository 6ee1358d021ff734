// The mistakes of signatures: a pattern must compile, match its own line, give facts that exist, and hold a literal.
import { FACTS } from "../facts/catalogue.ts";
import type { Signature } from "../facts/signature.ts";
import { isAddress } from "./check-steps.ts";
import { beginsEndless } from "./exponential.ts";
import { bytes, deriveLiteral, impliesLiteral } from "./literal.ts";
import type { Problem } from "./problem.ts";
import type { PlaybookFile } from "./schema.ts";
import type { Source } from "./source.ts";

interface Given {
  exponential: (pattern: string) => string | undefined;
}

type Say = (rule: Problem["rule"], key: keyof Signature, text: string) => void;

export function checkSignatures(file: PlaybookFile, source: Source, { exponential }: Given): Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [at, signature] of file.signatures.entries()) {
    const say: Say = (rule, key, text) => {
      problems.push(source.problem(rule, ["signatures", at, key], text, key in signature ? "value" : "key"));
    };
    if (seen.has(signature.id)) say("keys", "id", `there are two signatures "${signature.id}"`);
    seen.add(signature.id);
    checkPattern(signature, say, exponential);
    checkImplied(signature, say);
    if (!isAddress(signature.source)) {
      say("source", "source", `signature "${signature.id}" needs the address where its line is printed or documented`);
    }
  }
  return problems;
}

function checkPattern(signature: Signature, say: Say, exponential: Given["exponential"]): void {
  const { id, pattern, literal } = signature;
  let compiled: RegExp;
  try {
    compiled = new RegExp(pattern);
  } catch (error) {
    say("pattern", "pattern", `pattern "${id}" does not compile: ${(error as Error).message}`);
    return;
  }
  for (const [, name] of pattern.matchAll(/\(\?<([A-Za-z_$][\w$]*)>/g)) {
    if (name && !isFactGroup(name)) {
      say(
        "unknown-fact",
        "pattern",
        `group "${name}" of pattern "${id}" is not a fact; facts are listed in src/facts/catalogue.ts`,
      );
    }
  }
  const slow = exponential(pattern);
  if (slow) {
    say("exponential", "pattern", `pattern "${id}" can take exponential time: ${slow}`);
    return;
  }
  if (beginsEndless(pattern)) {
    say(
      "slow-start",
      "pattern",
      `pattern "${id}" begins with an endless repeat, which is tried from every place of a long line; bound it: \\w{1,64}`,
    );
  }
  if (!compiled.test(signature.seen)) say("seen-line", "pattern", `pattern "${id}" does not match its own "seen" line`);
  if (literal === undefined) {
    if (deriveLiteral(pattern) === undefined) {
      say(
        "literal",
        "pattern",
        `pattern "${id}" holds no literal of four bytes that every match has; make it hold one`,
      );
    }
    return;
  }
  const literals = typeof literal === "string" ? [literal] : literal;
  const short = literals.find((one) => bytes(one) < 4);
  if (short !== undefined) say("literal", "literal", `literal "${short}" of "${id}" is shorter than four bytes`);
  else if (!literals.some((one) => signature.seen.includes(one))) {
    say("literal", "literal", `the "seen" line of "${id}" holds none of its literals`);
  } else if (!impliesLiteral(pattern, literal)) {
    say(
      "literal",
      "literal",
      `not every match of "${id}" holds its literal, so lines would be missed; leave it out to have it derived`,
    );
  }
}

function checkImplied(signature: Signature, say: Say): void {
  for (const [name, value] of Object.entries(signature.implies ?? {})) {
    const kind = Object.hasOwn(FACTS, name) ? FACTS[name] : undefined;
    if (!kind) {
      say("unknown-fact", "implies", `"${name}" is not a fact; facts are listed in src/facts/catalogue.ts`);
      continue;
    }
    const wanted =
      kind.type === "number" || kind.type === "numbers" ? "number" : kind.type === "flag" ? "boolean" : "string";
    if (typeof value !== wanted)
      say("condition", "implies", `"${name}" is a ${kind.type} and is never ${JSON.stringify(value)}`);
  }
}

/** A group's name is a fact, a size (`free_size` gives free_gib or free_mib), or either once more (`rank__2`). */
function isFactGroup(group: string): boolean {
  const name = group.replace(/__\d+$/, "");
  if (Object.hasOwn(FACTS, name)) return true;
  if (!name.endsWith("_size")) return false;
  const stem = name.slice(0, -"_size".length);
  return Object.hasOwn(FACTS, `${stem}_gib`) || Object.hasOwn(FACTS, `${stem}_mib`);
}
