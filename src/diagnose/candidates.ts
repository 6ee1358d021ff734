// Literals of all signatures -> one automaton -> the few lines worth a closer look.
import type { Rule } from "../facts/signature.ts";
import { RESTARTS } from "./attempts.ts";
import { type Automaton, buildAutomaton, type Literal, literalsIn, markOf } from "./automaton.ts";
import { ENDINGS } from "./launcher.ts";
import { SETTINGS } from "./setting.ts";

export interface Compiled {
  rule: Rule;
  pattern: RegExp;
}

export interface Candidates {
  automaton: Automaton;
  /** Bits of each state of the automaton, for one reader, which may lose interest in a literal. */
  bits(): LiveBits;
  /** The signatures whose literal stands in the text. */
  of(text: string): readonly Compiled[];
}

export interface LiveBits {
  /** `LOOK`, `NUMBER` and `LINE_END` of each state. */
  readonly bits: Uint8Array;
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

/** `built` is the one that was built of the same rules before. */
export function compileCandidates(rules: readonly Rule[], built?: Automaton): Candidates {
  const compiled: Compiled[] = rules.map((rule) => ({ rule, pattern: new RegExp(rule.pattern) }));
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
  for (const text of [...ALWAYS, ...ENDINGS, ...SETTINGS]) add(text, LOOK);
  for (const text of NUMBERS) add(text, NUMBER);
  const automaton = built?.mark === markOf(literals) ? built : buildAutomaton(literals, LINE_END);
  /** The round in which a signature was last found; cheaper than a set for each line. */
  const seen = new Int32Array(compiled.length);
  let round = 0;
  /** Literals that one signature alone asks for. */
  const alone = new Map<Rule, number[]>();
  const always = new Set([...ALWAYS, ...ENDINGS, ...SETTINGS]);
  for (const [literal, askers] of users.slice(0, asked).entries()) {
    const only = askers.length === 1 ? compiled[askers[0] as number] : undefined;
    if (only && !always.has(literals[literal]?.text ?? ""))
      alone.set(only.rule, [...(alone.get(only.rule) ?? []), literal]);
  }
  return {
    automaton,
    bits() {
      const bits = Uint8Array.from(automaton.bits);
      const off = new Set<number>();
      return {
        bits,
        enough(rule) {
          for (const literal of alone.get(rule) ?? []) off.add(literal);
          const { endsAt, ends } = automaton;
          for (let state = automaton.accepting; state < bits.length; state += 1) {
            const own = ends.subarray(endsAt[state], endsAt[state + 1]);
            if (own.length === 0) continue;
            bits[state] = own.reduce((sum, one) => (off.has(one) ? sum : sum | (literals[one]?.bit ?? 0)), 0);
          }
        },
      };
    },
    of(text) {
      round += 1;
      let found: Compiled[] | undefined;
      literalsIn(automaton, text, (literal) => {
        for (const index of users[literal] as number[]) {
          if (seen[index] === round) continue;
          seen[index] = round;
          found ??= [];
          found.push(compiled[index] as Compiled);
        }
      });
      return found ?? NONE;
    },
  };
}

const NONE: readonly Compiled[] = [];
