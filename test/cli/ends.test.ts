// One log of each kind, through `walk --script`: a way to at least two different ends, found by asking the program itself.
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { catalog } from "./catalog.ts";
import { fakeIo } from "./io.ts";

interface Walked {
  playbook: string;
  step: string;
  outcome: string | null;
  states: { step: string; choices: string[] }[];
  facts: Record<string, { value: unknown; lines: number[]; entry: number }>;
}

const dir = mkdtempSync(join(tmpdir(), "firstfault-"));

async function walk(log: string, entries: object[]): Promise<Walked> {
  const script = join(dir, "script.jsonl");
  writeFileSync(script, entries.map((entry) => JSON.stringify(entry)).join("\n"));
  const io = fakeIo();
  const code = await run(["walk", "--script", script, "--json", log], io, () => catalog);
  expect(io.complained).toBe("");
  expect(code).toBe(0);
  return JSON.parse(io.printed);
}

/** Breadth first over the choices the program offers; each step is left once by each of its choices. */
async function endsFrom(log: string, wanted: number): Promise<Set<string>> {
  const ends = new Set<string>();
  const seen = new Set<string>();
  const open: { answer: string }[][] = [[]];
  for (let tries = 0; open.length > 0 && ends.size < wanted && tries < 400; tries += 1) {
    const entries = open.shift() ?? [];
    const walked = await walk(log, entries);
    if (walked.outcome) ends.add(walked.outcome);
    if (seen.has(walked.step)) continue;
    seen.add(walked.step);
    const choices = walked.states.at(-1)?.choices ?? [];
    for (const choice of choices) if (!choice.startsWith("reopen:")) open.push([...entries, { answer: choice }]);
  }
  return ends;
}

const kinds = [...catalog.playbooks.keys()].map((id) => {
  const logs = join("playbooks", id, "logs");
  const name = readdirSync(logs)
    .filter((one) => one.startsWith("hit-"))
    .sort()[0];
  return [id, join(logs, name ?? "")] as const;
});

describe("a log of each kind", () => {
  it.each(kinds)("leads %s to at least two different ends", async (_, log) => {
    expect((await endsFrom(log, 2)).size).toBeGreaterThanOrEqual(2);
  });
});

describe("a time-out that turns out to follow from memory", () => {
  const TIMEOUT =
    "[rank3]:[E1130 04:11:02.123000000 ProcessGroupNCCL.cpp:633] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4711, OpType=ALLREDUCE, NumelIn=52428800, NumelOut=52428800, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.";
  const OOM =
    "[rank5]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 5 has a total capacity of 79.11 GiB of which 1.21 GiB is free.";

  it("goes on in the memory playbook with all facts of the time-out", async () => {
    const log = join(dir, "job.log");
    writeFileSync(log, `${TIMEOUT}\n`);
    const start = await walk(log, []);
    const toMemory = await firstWay(log, (walked) => walked.step.startsWith("oom#"));

    const walked = await walk(log, [{ paste: OOM }, ...toMemory]);

    expect(start.playbook).toBe("nccl-timeout");
    expect(walked.step).toMatch(/^oom#/);
    expect(walked.states.some((state) => state.step.startsWith("nccl-timeout#"))).toBe(true);
    expect(walked.facts).toMatchObject({
      seq: { value: 4711, entry: 0 },
      timeout_ms: { value: 600000, entry: 0 },
      tried_alloc_gib: { value: 3.5, lines: [1], entry: 1 },
    });
  });

  async function firstWay(log: string, there: (walked: Walked) => boolean): Promise<{ answer: string }[]> {
    const seen = new Set<string>();
    const open: { answer: string }[][] = [[]];
    for (let tries = 0; open.length > 0 && tries < 400; tries += 1) {
      const entries = open.shift() ?? [];
      const walked = await walk(log, [{ paste: OOM }, ...entries]);
      if (there(walked)) return entries;
      if (seen.has(walked.step)) continue;
      seen.add(walked.step);
      for (const choice of walked.states.at(-1)?.choices ?? []) open.push([...entries, { answer: choice }]);
    }
    throw new Error("no way leads there");
  }
});
