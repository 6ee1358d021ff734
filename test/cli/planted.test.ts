// Secrets planted into a log: on the lines that are quoted, around them, and as the names of things. None of them comes
// out, in either language or form, none is kept, and the facts are those of the log without them.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { redact } from "../../src/diagnose/redact.ts";
import { CONTEXTS, SECRETS } from "../diagnose/planted.ts";
import { catalog } from "./catalog.ts";
import { fakeIo } from "./io.ts";

const { rules } = catalog;
const ALL = SECRETS.map(([, secret]) => secret);
const GONE = SECRETS.map(([, secret, hidden]) => hidden ?? secret);

const OOM =
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 5 has a total capacity of 79.11 GiB of which 1.21 GiB is free.";
const timedOut = (rank: number, more = ""): string =>
  `2026-03-02 04:11:09,5${rank}0 [rank${rank}]: [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=314, OpType=ALLTOALL_BASE, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.${more}`;

/** A cascade, with something planted on the line of the root and of the victims, and lines of it before and between. */
function logWith(planted: readonly string[]): string {
  return [
    ...planted,
    `2026-03-02 04:01:09,122 [rank37]: ${OOM}${planted.length > 0 ? ` ${planted[0]}` : ""}`,
    ...planted.map((one) => `2026-03-02 04:01:10,000 [rank37]: ${one}`),
    ...[1, 2, 3].map((rank) => timedOut(rank, planted.length > 0 ? ` ${planted[rank]}` : "")),
  ].join("\n");
}

function file(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "firstfault-")), "job.log");
  writeFileSync(path, text);
  return path;
}

async function printed(args: string[], data?: string): Promise<string> {
  const io = fakeIo(data === undefined ? {} : { data });
  await run(args, io, () => catalog);
  return io.printed + io.complained;
}

const leaked = (text: string): string[] => GONE.filter((secret) => text.includes(secret));

it("is a set of many formats and contexts", () => {
  expect(SECRETS.length).toBeGreaterThan(100);
  expect(CONTEXTS.length).toBeGreaterThan(30);
});

describe("secrets planted into a log", () => {
  // A few at a time, so that each once stands on the line of the root.
  const groups = Array.from({ length: Math.ceil(ALL.length / 8) }, (_, at) => ALL.slice(at * 8, at * 8 + 8));

  it.each(groups.map((group, at) => [at, group] as const))("come out nowhere: group %i", async (_, group) => {
    const path = file(logWith([...group, "x", "y", "z"]));

    const out = await Promise.all(
      [
        ["diagnose", path],
        ["diagnose", "--lang", "zh", path],
        ["diagnose", "--json", path],
      ].map((args) => printed(args)),
    );

    expect(out.map(leaked)).toEqual([[], [], []]);
    expect(out[0]).toContain("ran out of GPU memory");
  });

  it.each(CONTEXTS)("change no fact, %s, and nothing changes where they are taken out before", (_, write) => {
    const plain = diagnose(logWith([]), rules);
    for (const secret of ALL) {
      const text = logWith([write(secret)]);
      const given = diagnose(text, rules);
      const clean = diagnose(redact(text).text, rules);

      expect(factsOf(clean), secret).toEqual(factsOf(given));
      expect({ label: given.label, rank: given.facts.rank?.value, confidence: given.confidence }, secret).toEqual({
        label: plain.label,
        rank: plain.facts.rank?.value,
        confidence: plain.confidence,
      });
    }
  });

  it("are kept in no file of a walk", async () => {
    const data = mkdtempSync(join(tmpdir(), "firstfault-"));
    const io = fakeIo({ data, stdin: `${logWith(ALL.slice(0, 40))}\n\nquit\n` });

    await run(["walk", file(logWith(ALL))], io, () => catalog);

    const kept = readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) => /walks/.test(name));
    expect(kept.length).toBeGreaterThan(0);
    expect(leaked(kept.map((name) => readFileSync(join(data, name), "latin1")).join("\n"))).toEqual([]);
    expect(leaked(io.printed + io.complained)).toEqual([]);
  });
});

function factsOf(verdict: ReturnType<typeof diagnose>): unknown {
  const { label, status, confidence, evidence, subcause, root, secondary, facts, cascade } = verdict;
  return { label, status, confidence, evidence, subcause, root, secondary, facts, cascade };
}
