// Literals of all signatures -> one sieve -> the few lines worth a closer look.
import type { Rule } from "../facts/signature.ts";
import { RESTARTS } from "./attempts.ts";
import { ENDINGS } from "./launcher.ts";
import { SETTINGS } from "./setting.ts";
import { buildSieve, createBlock, LONGEST_LITERAL, narrow, ROOM, type Sieve, sift } from "./sieve.ts";

export interface Compiled {
  rule: Rule;
  readonly pattern: RegExp;
}

export interface Candidates {
  /** What one reader looks for; it may lose interest in a literal. */
  interest(): Interest;
  /** The signatures whose literal stands in the text, in the order of the rules. */
  of(text: string): readonly Compiled[];
}

export interface Interest {
  /** Of the literals that are still of interest; those that tell numbers of training only where they are asked for. */
  sieve(numbers: boolean): Sieve;
  /** `LOOK`, `NUMBER` or nothing for each literal; changes while reading. */
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
const NUMBER = 2;

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

export function compileCandidates(rules: readonly Rule[]): Candidates {
  const compiled: Compiled[] = rules.map(lazily);
  /** Number of each literal, what it means, and the signatures that ask for it. */
  const numbers = new Map<string, number>();
  const bits: number[] = [];
  const users: number[][] = [];
  const add = (text: string, bit: number): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, bits.length);
    users.push([]);
    return bits.push(bit) - 1;
  };
  for (const [index, { rule }] of compiled.entries()) {
    for (const literal of [rule.literal ?? []].flat()) users[add(literal, LOOK)]?.push(index);
  }
  const always = new Set([...ALWAYS, ...ENDINGS, ...SETTINGS].map((text) => add(text, LOOK)));
  for (const text of NUMBERS) add(text, NUMBER);

  let built: Sieve | undefined;
  const whole = (): Sieve => {
    built ??= buildSieve([...numbers.keys()]);
    return built;
  };

  function of(text: string): readonly Compiled[] {
    const found = new Set<number>();
    siftText(whole(), text, (literal) => {
      for (const index of users[literal] as number[]) found.add(index);
    });
    // In the order of the rules, however they were found.
    return found.size === 0 ? NONE : [...found].sort((a, b) => a - b).map((index) => compiled[index] as Compiled);
  }

  /** Literals that one signature alone asks for. */
  const alone = new Map<Rule, number[]>();
  for (const [literal, askers] of users.entries()) {
    const only = askers.length === 1 ? compiled[askers[0] as number] : undefined;
    if (only && !always.has(literal)) alone.set(only.rule, [...(alone.get(only.rule) ?? []), literal]);
  }
  return { of, interest: () => createInterest(whole, Uint8Array.from(bits), alone) };
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

/** Where a line's text is searched. */
const block = createBlock();
/** A sign takes at most three bytes; a literal that is cut is whole in the next piece. */
const PIECE = Math.floor(ROOM / 3);

function siftText(sieve: Sieve, text: string, found: (literal: number) => void): void {
  const tell = (literal: number): number => {
    found(literal);
    return 0;
  };
  for (let at = 0; at < text.length; at += PIECE - LONGEST_LITERAL) {
    const piece = text.length <= PIECE ? text : text.slice(at, at + PIECE);
    sift(sieve, block, block.bytes.write(piece), tell);
    if (at + PIECE >= text.length) return;
  }
}

function createInterest(whole: () => Sieve, bits: Uint8Array, alone: ReadonlyMap<Rule, number[]>): Interest {
  const sieves = new Map<number, Sieve>();
  return {
    sieve(numbers) {
      const wanted = numbers ? LOOK | NUMBER : LOOK;
      const known = sieves.get(wanted) ?? narrow(whole(), (literal) => ((bits[literal] as number) & wanted) !== 0);
      sieves.set(wanted, known);
      return known;
    },
    bits: () => bits,
    enough(rule) {
      for (const literal of alone.get(rule) ?? []) bits[literal] = 0;
      sieves.clear();
    },
  };
}

const NONE: readonly Compiled[] = [];
