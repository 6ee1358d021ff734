// Literals of all signatures -> one automaton -> the few lines worth a closer look.
import type { Rule } from "../facts/signature.ts";
import { RESTARTS } from "./attempts.ts";
import { type Automaton, buildAutomaton, type Literal, literalsIn, markOf } from "./automaton.ts";
import { ENDINGS } from "./launcher.ts";
import { SETTINGS } from "./setting.ts";

export interface Compiled {
  rule: Rule;
  readonly pattern: RegExp;
}

export interface Candidates {
  /** Read or built at the first call. */
  automaton(): Automaton;
  /** What one reader looks for; it may lose interest in a literal. */
  interest(): Interest;
  /** The signatures whose literal stands in the text, in the order of the rules. */
  of(text: string): readonly Compiled[];
}

export interface Interest {
  /** `LOOK`, `NUMBER` and `LINE_END` of each state of the automaton; changes while reading. */
  bits(): Uint8Array;
  /**
   * This signature has been seen often enough: a line is no longer looked at for it alone. For signatures that only give
   * facts, and stand on every line of a healthy run.
   */
  enough(rule: Rule): void;
}

/** A line with this bit is looked at whole. */
export const LOOK = 1;
/** A line with this bit alone holds numbers of training: it is worth a look while its curve is followed. */
export const NUMBER = 2;
export const LINE_END = 4;

/** What every reader looks for besides signatures: the frames and ends of tracebacks, token counts, who is where. */
const ALWAYS = [
  "Traceback (most",
  'File "',
  "Error",
  "Exception",
  "Interrupt",
  "local_rank: ",
  "host      : ",
  "cudaDev ",
  "tokens_per_expert",
  "tokens/expert",
  "recv_tokens",
  "topk_idx",
  "max/mean",
  ...RESTARTS,
];
const NUMBERS = ["loss", "Loss", "grad", "norm:", "max_vio", "MaxVio", "Max Vio", "trl:", "s/it", "it/s"];

/** Lines of a small paste: their literals are looked up one by one, sooner than a table is read. */
const FEW = 400;

/** `built` gives the automaton that was built of the same rules before. */
export function compileCandidates(rules: readonly Rule[], built?: () => Automaton | undefined): Candidates {
  const compiled: Compiled[] = rules.map(lazily);
  const users: number[][] = [];
  const literals: Literal[] = [];
  const numbers = new Map<string, number>();
  const add = (text: string, bit: number): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, literals.length);
    users.push([]);
    return literals.push({ text, bit }) - 1;
  };
  for (const [index, { rule }] of compiled.entries()) {
    for (const literal of [rule.literal ?? []].flat()) users[add(literal, LOOK)]?.push(index);
  }
  const asked = literals.length;
  const always = [...ALWAYS, ...ENDINGS, ...SETTINGS];
  for (const text of always) add(text, LOOK);
  for (const text of NUMBERS) add(text, NUMBER);

  let ready: Automaton | undefined;
  let looked = 0;
  function automaton(): Automaton {
    if (ready) return ready;
    const kept = built?.();
    ready = kept?.mark === markOf(literals) ? kept : buildAutomaton(literals, LINE_END);
    return ready;
  }

  function of(text: string): readonly Compiled[] {
    const found = new Set<number>();
    const note = (literal: number): void => {
      for (const index of users[literal] as number[]) found.add(index);
    };
    if (ready || looked >= FEW) literalsIn(automaton(), text, note);
    else {
      looked += 1;
      for (let literal = 0; literal < asked; literal += 1)
        if (text.includes((literals[literal] as Literal).text)) note(literal);
    }
    // In the order of the rules, however they were found.
    return found.size === 0 ? NONE : [...found].sort((a, b) => a - b).map((index) => compiled[index] as Compiled);
  }

  /** Literals that one signature alone asks for. */
  const alone = new Map<Rule, number[]>();
  for (const [literal, askers] of users.slice(0, asked).entries()) {
    const only = askers.length === 1 ? compiled[askers[0] as number] : undefined;
    if (only && !always.includes((literals[literal] as Literal).text)) {
      alone.set(only.rule, [...(alone.get(only.rule) ?? []), literal]);
    }
  }
  return { automaton, of, interest: () => createInterest(automaton, { alone, literals }) };
}

/** Most patterns are never tried on a text: each is compiled at its first try. */
function lazily(rule: Rule): Compiled {
  let pattern: RegExp | undefined;
  return {
    rule,
    get pattern() {
      pattern ??= new RegExp(rule.pattern);
      return pattern;
    },
  };
}

interface Interesting {
  alone: ReadonlyMap<Rule, number[]>;
  literals: readonly Literal[];
}

function createInterest(automaton: () => Automaton, { alone, literals }: Interesting): Interest {
  const off = new Set<number>();
  let bits: Uint8Array | undefined;

  function lose(): void {
    const { accepting, endsAt, ends } = automaton();
    if (!bits) return;
    for (let state = accepting; state < bits.length; state += 1) {
      const own = ends.subarray(endsAt[state], endsAt[state + 1]);
      if (own.length === 0) continue;
      bits[state] = own.reduce((sum, one) => (off.has(one) ? sum : sum | (literals[one]?.bit ?? 0)), 0);
    }
  }

  return {
    bits() {
      if (bits) return bits;
      bits = Uint8Array.from(automaton().bits);
      if (off.size > 0) lose();
      return bits;
    },
    enough(rule) {
      for (const literal of alone.get(rule) ?? []) off.add(literal);
      if (bits) lose();
    },
  };
}

const NONE: readonly Compiled[] = [];
