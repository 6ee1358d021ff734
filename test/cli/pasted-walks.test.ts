// Walks of the shipped playbooks in which people paste what a step asked for: `walks/pasted-*` are answered by at least three
// outputs, in `walks/refused-*` a wrong one changes nothing and the right one goes on. Where each leads is checked with the rest.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { PLAYBOOKS } from "../../src/catalog.ts";
import { run } from "../../src/cli/run.ts";
import { catalog } from "./catalog.ts";
import { fakeIo } from "./io.ts";

type Entry = { paste: string } | { answer: string };
interface WalkFile {
  id: string;
  log: string | undefined;
  entries: Entry[];
}
interface Walked {
  step: string;
  outcome: string | null;
  states: { step: string; because: string; lines?: { entry: number }[] }[];
  readings: { entry: number; status: string; finding: { en: string; zh: string } }[];
}

function walksOf(kind: string): (readonly [string, WalkFile])[] {
  return readdirSync(PLAYBOOKS).flatMap((id) =>
    readdirSync(join(PLAYBOOKS, id, "walks"))
      .filter((name) => name.startsWith(`${kind}-`))
      .map((name) => {
        const { log, entries } = parse(readFileSync(join(PLAYBOOKS, id, "walks", name), "utf8")) as WalkFile;
        return [`${id}/${name}`, { id, entries, log: log && join(PLAYBOOKS, id, "logs", basename(log)) }] as const;
      }),
  );
}

async function walked({ id, log, entries }: WalkFile): Promise<Walked> {
  const io = fakeIo();
  const script = join(mkdtempSync(join(tmpdir(), "firstfault-")), "entries.jsonl");
  writeFileSync(script, entries.map((entry) => JSON.stringify(entry)).join("\n"));
  const where = log === undefined ? ["--playbook", id] : [log];
  expect(await run(["walk", "--script", script, "--json", ...where], io, () => catalog), io.complained).toBe(0);
  return JSON.parse(io.printed) as Walked;
}

describe("outputs pasted", () => {
  it.each(walksOf("pasted"))("answer at least three steps of %s", async (_name, file) => {
    const { states } = await walked(file);
    const answered = states.filter(
      ({ because, lines }) => because !== "answered" && lines?.some(({ entry }) => entry > 0),
    );
    expect(answered.length).toBeGreaterThanOrEqual(3);
  });

  it.each(walksOf("refused"))("are refused in words and repaired in %s", async (_name, file) => {
    const { readings, outcome } = await walked(file);
    const refused = readings.filter(({ status }) => status === "refused");
    expect(refused).not.toEqual([]);
    expect(outcome).toBe("fixed");
    for (const { entry, finding } of refused) {
      expect(finding.en).not.toBe("");
      expect(finding.zh).toMatch(/\p{Script=Han}/u);
      const before = await walked({ ...file, entries: file.entries.slice(0, entry - 1) });
      const after = await walked({ ...file, entries: file.entries.slice(0, entry) });
      expect(after.states.map(({ step }) => step)).toEqual(before.states.map(({ step }) => step));
    }
  });

  it("are there for every playbook that serves the label other, but for the one of what has none", () => {
    const ids = [...catalog.playbooks.values()].filter(({ id, label }) => label === "other" && id !== "other");
    for (const kind of ["pasted", "refused"])
      expect(new Set(walksOf(kind).map(([, { id }]) => id))).toEqual(new Set(ids.map(({ id }) => id)));
  });
});
