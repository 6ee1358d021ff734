import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ReaderId } from "../../../src/diagnose/outputs/output-reader.ts";
import { toOutputText } from "../../../src/diagnose/outputs/output-text.ts";
import { type OutputReading, readOutput } from "../../../src/diagnose/outputs/read-output.ts";
import { OUTPUT_READERS } from "../../../src/diagnose/outputs/readers.ts";
import { FACTS } from "../../../src/facts/catalogue.ts";
import type { FactValue } from "../../../src/facts/fact.ts";
import { isA } from "./is-a.ts";

interface Label {
  file: string;
  reader: ReaderId | null;
  status: OutputReading["status"];
  as?: ReaderId;
  facts: Record<string, FactValue>;
  finding_must_mention: string[];
}

const DIR = join(import.meta.dirname, "..", "..", "..", "fixtures", "outputs");
const folders = readdirSync(DIR, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const samples = folders.flatMap((folder) =>
  readFileSync(join(DIR, folder, "labels.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const label = JSON.parse(line) as Label;
      return { name: `${folder}/${label.file}`, label, text: readFileSync(join(DIR, folder, label.file), "utf8") };
    }),
);
const readerIds = new Set(OUTPUT_READERS.map(({ id }) => id));
const covered = samples.filter(({ label }) => label.reader === null || readerIds.has(label.reader));

/** Numbers to half a percent, lists as sets, texts exactly. */
function same(found: FactValue | undefined, wanted: FactValue): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(found) && found.length === wanted.length && wanted.every((one) => found.includes(one));
  }
  if (typeof wanted === "number" && typeof found === "number") {
    return Math.abs(found - wanted) <= 0.005 * Math.abs(wanted);
  }
  return found === wanted;
}

describe.each(covered)("$name", ({ label, text }) => {
  const reading = readOutput(text, label.as ?? null);

  it("is read as labelled", () => {
    expect({ reader: reading.reader, status: reading.status }).toEqual({ reader: label.reader, status: label.status });
    const found = Object.fromEntries(Object.keys(label.facts).map((name) => [name, reading.facts[name]?.value]));
    const right = Object.entries(label.facts).every(([name, value]) => same(found[name], value));
    expect(right ? label.facts : found).toEqual(label.facts);
    const finding = reading.finding.en.toLowerCase();
    expect(label.finding_must_mention.filter((one) => !finding.includes(one.toLowerCase()))).toEqual([]);
  });

  it("gives facts of the catalogue, each with its lines", () => {
    const count = text.split("\n").length;
    for (const [name, { value, lines }] of Object.entries(reading.facts)) {
      // Of token counts, "ranks" is how many there are; in a verdict it lists the culprits.
      const type = name === "ranks" && label.reader === "expert-tokens" ? "number" : FACTS[name]?.type;
      expect(isA(type, value), `${name} = ${JSON.stringify(value)}`).toBe(true);
      expect(lines.length, name).toBeGreaterThan(0);
      expect(lines.every((line) => line >= 1 && line <= count)).toBe(true);
    }
  });

  it("says one short line in each language", () => {
    for (const said of [reading.finding.en, reading.finding.zh]) {
      expect(said).toMatch(/^[^\n]{1,200}$/u);
      expect(said).not.toMatch(/probably|undefined|\bnull\b|NaN (?:GiB|GB|x|of)|\[object/);
    }
    expect(reading.finding.zh).toMatch(/\p{Script=Han}/u);
  });

  it("never throws, wherever it is cut", () => {
    const lines = text.split("\n");
    for (let at = 0; at < lines.length; at += Math.max(1, Math.floor(lines.length / 25))) {
      const cut = [...lines.slice(0, at), (lines[at] ?? "").slice(0, at % 17)].join("\n");
      const read = toOutputText(cut);
      for (const reader of OUTPUT_READERS) {
        expect(() => (reader.knows(read).length > 0 ? reader.read(read) : null)).not.toThrow();
      }
      expect(() => readOutput(lines.slice(at).join("\n"))).not.toThrow();
    }
  });
});
