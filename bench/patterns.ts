// How long the slowest pattern takes on lines made to be slow: npm run bench -- patterns

import { diagnose } from "../src/diagnose/diagnose.ts";
import { SEEN } from "../src/diagnose/finds.ts";
import type { Rules } from "../src/diagnose/rules.ts";
import type { Rule } from "../src/facts/signature.ts";
import { seeded } from "./random.ts";

/** The longest line that is kept whole. A signature's pattern sees no more than `SEEN` of it. */
const LONGEST = 32_768;

export const PIECES = [
  "a",
  " ",
  "1",
  "1 ",
  "a ",
  "a.",
  "_",
  "-",
  "[",
  "(",
  '"',
  "=",
  ": ",
  "\t",
  "0x",
  "aA1",
  "1,",
  "1.",
  "[1] ",
  "rank 1 ",
  "loss: 1 ",
  'File "',
];

export interface Slow {
  what: string;
  line: string;
  ms: number;
}

/** Every signature on lines that begin as it does and then go on for ever, and on all the others. */
export function slowestPatterns(signatures: readonly Rule[]): Slow[] {
  return signatures
    .map((rule) => {
      const pattern = new RegExp(rule.pattern);
      let worst: Slow = { what: `${rule.playbook}/${rule.id}`, line: "", ms: 0 };
      for (const line of nastyLines(rule.seen, SEEN)) {
        pattern.test(line.slice(0, 100));
        const began = performance.now();
        pattern.test(line);
        const ms = performance.now() - began;
        if (ms > worst.ms) worst = { ...worst, line: line.slice(0, 60), ms };
      }
      return worst;
    })
    .sort((a, b) => b.ms - a.ms);
}

export function* nastyLines(seen: string, length: number): Generator<string> {
  for (const piece of PIECES) yield piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  const halves = [seen, seen.slice(0, seen.length >> 1), seen.slice(seen.length >> 1)];
  for (const half of halves) if (half) yield half.repeat(Math.ceil(length / half.length)).slice(0, length);
  for (const piece of PIECES.slice(0, 12)) yield (seen.slice(0, -1) + piece.repeat(length)).slice(0, length);
}

/** Whole lines through everything that reads them, signatures or not. */
export function slowestLines(rules: Rules): Slow[] {
  // Words are learnt at the first text that needs them.
  diagnose("my job died and i do not know why", rules);
  const random = seeded(5);
  const lines = [...nastyLines(rules.signatures[0]?.seen ?? "x", LONGEST)];
  for (let round = 0; round < 60; round += 1) {
    const seen = rules.signatures[Math.floor(random() * rules.signatures.length)]?.seen ?? "";
    const piece = PIECES[Math.floor(random() * PIECES.length)] ?? "a";
    lines.push((seen + piece).repeat(LONGEST).slice(0, LONGEST));
  }
  return lines
    .map((line) => {
      const began = performance.now();
      diagnose(line, rules);
      return { what: "a whole line", line: line.slice(0, 60), ms: performance.now() - began };
    })
    .sort((a, b) => b.ms - a.ms);
}
