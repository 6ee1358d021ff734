// Literals of all signatures -> one automaton -> the few lines worth a closer look.
import type { Rule } from "../facts/signature.ts";
import { type Automaton, buildAutomaton, type Literal, literalsIn } from "./automaton.ts";

export interface Compiled {
  rule: Rule;
  pattern: RegExp;
}

export interface Candidates {
  /** Finds lines in bytes: `LOOK` and `NUMBER` of the literals, `LINE_END`. */
  automaton: Automaton;
  /** The signatures whose literal stands in the text. */
  of(text: string): readonly Compiled[];
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
];
const NUMBERS = ["loss", "Loss", "grad", "norm:", "max_vio", "MaxVio", "Max Vio", "trl:"];

export function compileCandidates(rules: readonly Rule[]): Candidates {
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
  for (const text of ALWAYS) add(text, LOOK);
  for (const text of NUMBERS) add(text, NUMBER);
  const automaton = buildAutomaton(literals, LINE_END);
  /** The round in which a signature was last found; cheaper than a set for each line. */
  const seen = new Int32Array(compiled.length);
  let round = 0;
  return {
    automaton,
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
