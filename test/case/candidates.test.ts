// What is kept of a text whose diagnosis was wrong.
import { describe, expect, it } from "vitest";
import { excerpt } from "../../src/case/candidates.ts";

const numbered = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join("\n");

describe("an excerpt", () => {
  it("holds the lines pointed at and three around each, and knows the root's line in it", () => {
    const lines = [
      { source: 0, line: 2 },
      { source: 0, line: 20 },
    ];

    const { text, rootLine } = excerpt([numbered(30)], { lines, root: { source: 0, line: 20 } });

    expect(text.split("\n")).toEqual([1, 2, 3, 4, 5, 17, 18, 19, 20, 21, 22, 23].map((n) => `line ${n}`));
    expect(rootLine).toBe(9);
  });

  it("takes the sources one after another, and leaves out one whose text is too long to be here", () => {
    const lines = [
      { source: 0, line: 1 },
      { source: 2, line: 1 },
    ];

    const { text, rootLine } = excerpt([null, numbered(9), "root here"], { lines, root: { source: 2, line: 1 } });

    expect([text, rootLine]).toEqual(["root here", 1]);
  });

  it("is the end of a text in which nothing was pointed at", () => {
    const { text, rootLine } = excerpt([numbered(100)], { lines: [], root: null });

    expect(text.split("\n")).toHaveLength(20);
    expect(text).toMatch(/^line 81\n[\s\S]*line 100$/);
    expect(rootLine).toBeNull();
  });

  it("is never longer than 200 lines", () => {
    const lines = Array.from({ length: 500 }, (_, n) => ({ source: 0, line: n + 1 }));

    expect(excerpt([numbered(500)], { lines, root: null }).text.split("\n")).toHaveLength(200);
  });
});
