import { describe, expect, it } from "vitest";
import { seeded } from "../../bench/random.ts";
import { buildSieve, createBlock, narrow, type Sieve, sift } from "../../src/diagnose/sieve.ts";

const LITERALS = ["key", "://", "loss", " OOM", "CUDA out of memory", "out of", "memory", "显存", "aaaa", "aaab"];

/** Literals with their places, in the order told; one in `skipping` leaves out what is left of its line. */
function told(sieve: Sieve, text: Buffer, skipping: readonly string[] = []): string[] {
  const block = createBlock();
  const places: string[] = [];
  text.copy(block.bytes);
  sift(sieve, block, text.length, (number, at) => {
    const literal = LITERALS[number] as string;
    places.push(`${literal}@${at}`);
    const newline = text.indexOf("\n", at);
    return skipping.includes(literal) ? (newline < 0 ? text.length : newline) : 0;
  });
  return places;
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

  it("finds in random text what a search for each literal finds, line after line", () => {
    const random = seeded(8);
    const parts = [...LITERALS, "a", "aa", "\n", "\n\n", " ", "key ", "lo", "显", "\0"];
    for (let round = 0; round < 400; round += 1) {
      const pick = (): string => parts[Math.floor(random() * parts.length)] ?? "";
      const text = Buffer.from(Array.from({ length: Math.floor(random() * 40) }, pick).join(""));
      const found = told(sieve, text);
      const lines = found.map(
        (one) =>
          text
            .subarray(0, Number(one.split("@")[1]))
            .toString()
            .split("\n").length,
      );

      expect([...found].sort()).toEqual(places(text).sort());
      expect(lines).toEqual([...lines].sort((a, b) => a - b));
    }
  });

  it("leaves out the rest of a line that is known, and no more", () => {
    const text = Buffer.from("loss key loss key\nkey loss\n\nloss");

    expect(told(sieve, text, ["loss"])).toEqual(["loss@0", "key@18", "loss@22", "loss@28"]);
  });

  it("sees nothing of what stood in the block before", () => {
    const block = createBlock();
    const seen: number[] = [];
    block.bytes.write("xxloss\n");

    sift(sieve, block, 4, (number) => seen.push(number));

    expect(seen).toEqual([]);
  });

  it("still finds what is wanted once it is narrowed", () => {
    const narrowed = narrow(sieve, (literal) => LITERALS[literal] === "memory");

    expect(told(narrowed, Buffer.from("CUDA out of memory, loss, key\n"))).toContain("memory@12");
  });

  it("refuses a literal that stands nearly everywhere", () => {
    expect(() => buildSieve(["gl"])).toThrow('"gl" is too short');
  });

  it("loses no literal where there are very many short ones", () => {
    const many = Array.from({ length: 400 }, (_, n) => `a${String(n).padStart(3, "0")}`);
    const text = Buffer.from("x PASS y a399 z");
    const block = createBlock();
    text.copy(block.bytes);
    const found: number[] = [];
    sift(buildSieve(["PASS", ...many]), block, text.length, (number) => {
      found.push(number);
      return 0;
    });

    expect(found).toEqual([0, 400]);
  });
});
