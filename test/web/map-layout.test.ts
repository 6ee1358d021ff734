// A map that can be read: nothing lies on anything else, and texts stay inside their boxes.
import { describe, expect, it } from "vitest";
import { playbookView } from "../../src/case/playbook-view.ts";
import { loadCatalog } from "../../src/catalog.ts";
import { LANGUAGES } from "../../src/facts/language.ts";
import { BOX, layoutMap, type MapBox } from "../../src/web/map-layout.ts";
import { textWidth, wrapText } from "../../src/web/text-width.ts";

const { playbooks } = await loadCatalog();
const maps = [...playbooks.values()].flatMap((one) =>
  LANGUAGES.map((language) => ({ name: `${one.id} in ${language}`, map: layoutMap(playbookView(one, language)) })),
);

function overlap(a: MapBox, b: MapBox): boolean {
  return Math.abs(a.x - b.x) < BOX.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

describe.each(maps)("the map of $name", ({ map }) => {
  const { boxes, width, height } = map;

  it("lays no box on another, and none outside", () => {
    const pairs = boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => overlap(a, b)));

    expect(pairs).toEqual([]);
    for (const box of boxes) {
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.x + BOX.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
    }
  });

  it("draws lines only from one column into the next, so that they cross no box", () => {
    const wires = boxes.flatMap(({ rows }) => rows.flatMap(({ wire }) => (wire ? [wire] : [])));
    const columns = [...new Set(boxes.map(({ x }) => x))].sort((a, b) => a - b);

    expect(wires.length).toBeGreaterThan(30);
    for (const { from, to } of wires) {
      const column = columns.indexOf(from[0] - BOX.width);
      expect(columns[column + 1]).toBe(to[0]);
    }
  });

  it("keeps its texts inside their boxes", () => {
    for (const { title, rows } of boxes) {
      for (const line of title) expect(textWidth(line, 13 * 1.1)).toBeLessThanOrEqual(BOX.width - 2 * BOX.pad);
      for (const { lines } of rows)
        for (const line of lines) expect(textWidth(line, 11.5)).toBeLessThanOrEqual(BOX.width - 2 * BOX.pad);
    }
  });
});

describe("a text in a drawing", () => {
  const wrap = (text: string, lines = 2): string[] => wrapText(text, { size: 10, width: 85, lines });

  it("breaks between words, and says where it was cut", () => {
    expect(wrap("one two three four")).toEqual(["one two three", "four"]);
    expect(wrap("one two three four five six seven eight")).toEqual(["one two three", "four five six…"]);
  });

  it("breaks a name that is longer than a line, and Chinese anywhere but before a closing mark", () => {
    expect(wrap("max_position_embeddings_of_the_model", 3).join("")).toBe("max_position_embeddings_of_the_model");
    expect(wrap("这是一行很长很长的话，后面还有。")).toEqual(["这是一行很长很长", "的话，后面还有。"]);
  });

  it("is cut between two signs, never through one", () => {
    expect(wrap("😀".repeat(30), 1)).toEqual([expect.stringMatching(/^(?:😀)+…$/u)]);
    expect(wrap("")).toEqual([""]);
  });
});
