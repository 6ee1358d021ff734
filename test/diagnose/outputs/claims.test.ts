import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toOutputText } from "../../../src/diagnose/outputs/output-text.ts";
import { OUTPUT_READERS } from "../../../src/diagnose/outputs/readers.ts";

const FIXTURES = join(import.meta.dirname, "..", "..", "..", "fixtures");
/** Texts in which people talk, ask, and set things up; logs of runs with nothing of a tool in them. */
const NOBODYS = [
  "quiet/announcements.txt",
  "quiet/chatter-en.txt",
  "quiet/chatter-zh.txt",
  "quiet/code-review.txt",
  "quiet/questions-en.txt",
  "quiet/green.txt",
];
/** What a log must hold to be claimed: people paste a tool's output between the lines of a run. */
const MARKS: Record<string, RegExp> = {
  "nccl-tests": /algbw\s+busbw/,
  "nccl-ras": /^#\d+-\d+ \([0-9a-f]+\)|Job summary/m,
  "flight-recorder": /Not all ranks joining collective|Collective sequence number: \d+ has errors|missed FR dumps/,
  "py-spy": /^\s*Thread \S+ \((?:active|idle)/m,
  "ib-port": /Physical state:|Link layer:|physical_state/,
  "port-counters": /NIC statistics|SymbolErrorCounter/,
  "kernel-log": /NVRM: |oom-kill:|invoked oom-killer|Killed process|mlx5_core/,
};
const readers = OUTPUT_READERS.filter(({ id }) => id in MARKS);
const labelled = readdirSync(join(FIXTURES, "labelled"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".log"))
  .map((name) => ({ name, raw: readFileSync(join(FIXTURES, "labelled", name), "utf8") }))
  .map((log) => ({ ...log, text: toOutputText(log.raw) }));

describe("what people write and runs print is claimed by no reader of a tool that they did not paste", () => {
  it.each(NOBODYS)("%s", (file) => {
    const text = toOutputText(readFileSync(join(FIXTURES, file), "utf8"));

    expect(readers.filter((reader) => reader.knows(text).length > 0).map(({ id }) => id)).toEqual([]);
  });

  it.each(readers.map((reader) => [reader.id, reader] as const))(
    "%s claims only its own among the labelled logs",
    (id, reader) => {
      const claimed = labelled.filter(({ text }) => reader.knows(text).length > 0);

      expect(claimed.filter(({ raw }) => !MARKS[id]?.test(raw)).map(({ name }) => name)).toEqual([]);
    },
  );
});
