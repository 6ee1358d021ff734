import { describe, expect, it } from "vitest";
import { seeded } from "../../bench/random.ts";
import { buildSieve, createBlock, narrow, type Sieve, sift } from "../../src/diagnose/sieve.ts";

const LITERALS = ["key", "://", "loss", " OOM", "CUDA out of memory", "out of", "memory", "显存", "aaaa", "aaab"];

/** Literals and ends of lines with their places, in the order told; a literal in `skipping` ends its line. */
function told(sieve: Sieve, text: Buffer, skipping: readonly number[] = []): string[] {
  const block = createBlock();
  const events: string[] = [];
  text.copy(block.bytes);
  sift(sieve, block, text.length, {
    literal(number, at) {
      events.push(`${LITERALS[number]}@${at}`);
      return skipping.includes(number);
    },
    lineEnd: (at) => events.push(`end@${at}`),
  });
  return events;
}

/** Every place of every literal, found one by one. */
function places(text: Buffer): string[] {
  return LITERALS.flatMap((literal) => {
    const found: string[] = [];
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) found.push(`${literal}@${at}`);
    return found;
  });
}

describe("a sieve", () => {
  const sieve = buildSieve(LITERALS);

  it("finds every literal at every place, at the front and the end of the text too", () => {
    for (const literal of LITERALS)
      for (let before = 0; before < 9; before += 1)
        for (const after of ["", "x", "xx", "xxx"]) {
          const text = Buffer.from(".".repeat(before) + literal + after);
          expect(told(sieve, text).sort()).toEqual(places(text).sort());
        }
  });

  it("finds in random text what a search for each literal finds, each within its line", () => {
    const random = seeded(8);
    const parts = [...LITERALS, "a", "aa", "\n", "\n\n", " ", "key ", "lo", "显", "\0"];
    for (let round = 0; round < 400; round += 1) {
      const pick = (): string => parts[Math.floor(random() * parts.length)] ?? "";
      const text = Buffer.from(Array.from({ length: Math.floor(random() * 40) }, pick).join(""));
      const events = told(sieve, text);
      const ends = [...text.entries()].flatMap(([at, byte]) => (byte === 10 ? [`end@${at}`] : []));

      expect(events.filter((one) => one.startsWith("end@"))).toEqual(ends);
      expect(events.filter((one) => !one.startsWith("end@")).sort()).toEqual(places(text).sort());
      let line = 0;
      for (const one of events) {
        const at = Number(one.slice(one.lastIndexOf("@") + 1));
        expect(text.subarray(line, at).includes(10)).toBe(false);
        if (one.startsWith("end@")) line = at + 1;
      }
    }
  });

  it("passes over the rest of a line that is known, and no further", () => {
    const text = Buffer.from("loss key loss key\nkey loss\nloss");

    expect(told(sieve, text, [LITERALS.indexOf("loss")])).toEqual([
      "loss@0",
      "end@17",
      "key@18",
      "loss@22",
      "end@26",
      "loss@27",
    ]);
  });

  it("sees nothing of what stood in the block before", () => {
    const block = createBlock();
    const seen: number[] = [];
    const sink = { literal: (number: number) => seen.push(number) < 0, lineEnd: () => {} };
    block.bytes.write("xxloss\n");

    sift(sieve, block, 4, sink);

    expect(seen).toEqual([]);
  });

  it("still finds what is wanted once it is narrowed", () => {
    const text = Buffer.from("CUDA out of memory, loss, key\n");

    const narrowed = told(
      narrow(sieve, (literal) => LITERALS[literal] === "memory"),
      text,
    );

    expect(narrowed).toContain("memory@12");
    expect(narrowed).toContain("end@29");
  });

  it("refuses a literal that stands nearly everywhere", () => {
    expect(() => buildSieve(["gl"])).toThrow('"gl" is too short');
  });
});
