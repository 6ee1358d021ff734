// The same fault again is known by what its line says without the numbers.
import { describe, expect, it } from "vitest";
import { faultKey, withoutNumbers } from "../../src/case/fault-key.ts";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { rules } from "../diagnose/rules.ts";

const key = (text: string): string | null => faultKey(diagnose(text, rules), (one) => one);

describe("the key of a fault", () => {
  it("is the same whatever the time, the rank and the sizes", () => {
    const oom = (rank: number, gib: string): string =>
      `2026-03-02 04:01:0${rank},122 [rank${rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${gib} GiB.`;

    expect(key(oom(3, "3.50"))).not.toBeNull();
    expect(key(oom(3, "3.50"))).toBe(key(oom(7, "12.00")));
  });

  it("is another where the error is another", () => {
    const error = (words: string): string => `[rank3]: RuntimeError: ${words}`;

    expect(key(error("the reader of shards went away"))).not.toBe(key(error("the tokenizer has no vocabulary")));
  });

  it("is none where there is no fault, or only somebody's words", () => {
    expect(key("step 1 | loss 2.3\nstep 2 | loss 2.2")).toBeNull();
    expect(key("our job hangs again")).toBeNull();
  });

  it.each([
    ["node-014 gave up at 04:11:09.230", "node-# gave up at #"],
    ["at 0x7f3a9c001000, id 9f86d081884c7d65", "at #, id #"],
    ["A\t  b  1,2,3", "a b #"],
  ])("takes the numbers out of %j", (line, without) => {
    expect(withoutNumbers(line)).toBe(without);
  });
});
