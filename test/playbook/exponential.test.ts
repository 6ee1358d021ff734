import { checkSync } from "recheck";
import { describe, expect, it } from "vitest";
import { beginsEndless, exponentialShape, repeatsGroup } from "../../src/playbook/exponential.ts";

const SLOW = ["(a+)+$", "(?:\\w+\\s?)*:", "(?:a|a)*b", "(?:\\w|\\d)+x", "((?:ab*)*)*c", "(?:[^,]*,?)*;", "(?:a*){2,}b"];

const FAST = [
  "a+b+c+",
  "(?:[^,]*,)*end",
  "(?:\\d+, )*\\d+\\]",
  "(?:foo|bar)+ baz",
  "(?:\\[rank\\d+\\]: )+Watchdog",
  "ranks? \\{(?<ranks>[\\d, ]+)\\}",
  "(?:(?:\\w+)\\.)+OutOfMemoryError",
];

describe("a pattern that could take exponential time", () => {
  it.each(SLOW)("is told by its shape: %s", (pattern) => {
    expect(exponentialShape(pattern)).toBeDefined();
  });

  it("is told within a look-around, which recheck does not judge", () => {
    expect(exponentialShape("(?=(?:a+)+$)x")).toBeDefined();
  });

  it.each(FAST)("is not seen in %s", (pattern) => {
    expect(exponentialShape(pattern)).toBeUndefined();
  });

  it.each([...SLOW, ...FAST])("is judged as recheck judges %s", (pattern) => {
    const found = checkSync(pattern, "", { timeout: 1000 });
    const exact = found.status === "vulnerable" && found.complexity.type === "exponential";
    expect(exponentialShape(pattern) !== undefined).toBe(exact);
  });
});

it("is looked for only where a group is repeated", () => {
  expect(SLOW.every(repeatsGroup)).toBe(true);
  expect(["a+b+c+", "(?:foo|bar) baz", "(?:foo|bar){1,3}", "[ab]*.*c"].some(repeatsGroup)).toBe(false);
});

it("knows a pattern that is tried from every place of a long run", () => {
  const endless = [
    "\\w+ lost",
    "(?<a>[\\d.]+ [KM]iB) used",
    "x?\\d*:",
    "(?:up|.*) to",
    "(?:a \\d{2,}|\\d+) b",
    "(?:[a-z]+ ){1,3}x",
  ];
  const told = ["lost \\w+", "^\\w+ lost", "\\b\\d+ lost", "(?<![\\d.])[\\d.]+ GiB", "\\w{1,64} lost", "(?:ab)+c"];

  expect(endless.filter((pattern) => !beginsEndless(pattern))).toEqual([]);
  expect(told.filter(beginsEndless)).toEqual([]);
});
