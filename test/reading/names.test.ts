// What a file is called never becomes a path, a mention or a leak.
import { describe, expect, it } from "vitest";
import { createNaming, sourceName } from "../../src/reading/names.ts";

describe("the name of a source", () => {
  it.each([
    ["job.log", "job.log"],
    ["attempt_0/37/stderr.log", "attempt_0/37/stderr.log"],
    ["../../etc/passwd", "etc/passwd"],
    ["/etc/./passwd", "etc/passwd"],
    ["C:\\logs\\..\\rank_3.log", "logs/rank_3.log"],
    ["a\nb\u202e\u0000.log", "ab.log"],
    ["../..", "file"],
    ["", "file"],
  ])("of %j is %j", (given, name) => {
    expect(sourceName(given)).toBe(name);
  });

  it("keeps the end of a long one, where the rank stands, and no secret", () => {
    expect(sourceName(`${"x".repeat(500)}_rank_37.log`)).toMatch(/^…x+_rank_37\.log$/);
    expect(sourceName("hf_token=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH.log")).not.toContain("abcdefghijkl");
  });

  it("is nobody else's, whatever they are called", () => {
    const named = createNaming();

    const names = ["a", "a (2)", "a", "a"].map(named);

    expect(new Set(names).size).toBe(4);
  });
});
