import { describe, expect, it } from "vitest";
import { jsonBlocks, keysAt, valueAt } from "../../../src/diagnose/outputs/loose-json.ts";
import { toOutputText } from "../../../src/diagnose/outputs/output-text.ts";

const blocks = (text: string) => jsonBlocks(toOutputText(text), /stage/);

describe("a JSON object in a paste", () => {
  it.each([
    [
      "comments and a trailing comma",
      '{\n  // why\n  "stage": 3, # here too\n  /* and */ "x": 1,\n}'.replace(" # here too", ""),
    ],
    ["a line of HJSON comment", '{\n# why\n"stage": 3}'],
    ["Python's quotes and words", "conf = {'on': True, 'off': None, 'stage': 3}"],
    ["a chat's round quotes", "{“stage”: 3, “on”: true}"],
    ["a log's prefix", '[INFO] [config.py:9:print]   json = {\n    "stage":3\n}'],
    ["text below", '{"stage": 3}\nTraceback {\n[rank0]: error'],
    ["its end cut off", '{"stage": 3, "offload": {"device": "cp'],
  ])("is read in spite of %s", (_, text) => {
    const [block] = blocks(text);

    expect(block && valueAt(block, "stage")?.value).toBe(3);
  });

  it("knows whether its end is there, and on which line a value stands", () => {
    const [whole] = blocks('first\n{\n  "a": 1,\n  "stage": 2\n}');
    const [cut] = blocks('{\n  "stage": 2,');

    expect([whole?.whole, whole && valueAt(whole, "stage")?.line, whole?.lines]).toEqual([true, 4, [2, 3, 4, 5]]);
    expect(cut?.whole).toBe(false);
  });

  it("is found behind one that was never closed", () => {
    const found = blocks('loss {\n{"stage": 1}');

    expect(found.map((block) => keysAt(block))).toContainEqual(["stage"]);
  });

  it.each(["{", "[", '{"stage":', "{'stage':["])(
    "does not stop the reading when %s comes a hundred thousand times",
    (mark) => {
      expect(() => blocks(`{"stage": ${mark.repeat(100_000)}`)).not.toThrow();
    },
  );
});
