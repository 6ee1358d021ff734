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
/** Logs that do hold what these tools print, pasted between the lines of the run. */
const HOLDS: Record<string, readonly string[]> = {
  "nccl-tests": ["held-2/nccl-tests-healthy.log"],
  "py-spy": ["nccl/pyspy-two-camps-zero3-moe.log"],
  "kernel-log": [
    "held-1/kernel-memcg-kill-printed-last.log",
    "held-2/xid94-dmesg-then-timeouts.log",
    "held-3/ib-port-down-kernel-then-timeouts.log",
    "moe-loss-neg/ecc-uncorrectable-xid48-63.log",
    "moe-loss-neg/xid79-fallen-off-bus-with-nccl-timeouts.log",
    "oom-ckpt/hostoom-dmesg-memcg-zero3-rank0-load.log",
  ],
};
/** The readers of what is pasted from a cluster: tests, traces, stacks, ports and kernels. */
const MINE = ["nccl-tests", "nccl-ras", "flight-recorder", "py-spy", "ib-port", "port-counters", "kernel-log"];
const readers = OUTPUT_READERS.filter(({ id }) => MINE.includes(id));
const labelled = readdirSync(join(FIXTURES, "labelled"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".log"))
  .map((name) => ({ name, text: toOutputText(readFileSync(join(FIXTURES, "labelled", name), "utf8")) }));

describe("what people write and runs print is claimed by no reader of a tool that they did not paste", () => {
  it.each(NOBODYS)("%s", (file) => {
    const text = toOutputText(readFileSync(join(FIXTURES, file), "utf8"));

    expect(readers.filter((reader) => reader.knows(text).length > 0).map(({ id }) => id)).toEqual([]);
  });

  it.each(readers.map((reader) => [reader.id, reader] as const))(
    "%s claims only its own among the labelled logs",
    (id, reader) => {
      const claimed = labelled.filter(({ text }) => reader.knows(text).length > 0).map(({ name }) => name);

      expect(claimed.sort()).toEqual(HOLDS[id] ?? []);
    },
  );
});
