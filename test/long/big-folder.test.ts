// 100 MB of per-rank logs through the built program: the right first fault, in 256 MB, however it is cut.
import { createReadStream, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { measure } from "../../bench/measure.ts";
import { seeded } from "../../bench/random.ts";
import { specFor, writeCluster } from "../../bench/write-cluster.ts";
import { run } from "../../src/cli/run.ts";
import { createReader } from "../../src/diagnose/reader.ts";
import { catalog } from "../cli/catalog.ts";
import { fakeIo } from "../cli/io.ts";
import { rules } from "../diagnose/rules.ts";

const dir = mkdtempSync(join(tmpdir(), "firstfault-"));
let truth: { rank: number | null };

beforeAll(async () => {
  truth = await writeCluster(dir, specFor({ mb: 100, ranks: 256, fault: "oom", seed: 9 }));
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

it("finds the first fault in 100 MB of logs within 256 MB of memory", async () => {
  const run = await measure(process.execPath, ["dist/src/main.js", "diagnose", "--json", dir]);

  console.info(`100 MB: ${run.seconds.toFixed(1)} s, peak ${run.peakMib.toFixed(0)} MiB`);
  expect(JSON.parse(run.out)).toMatchObject({ label: "oom", root: { rank: truth.rank, role: "cause" } });
  expect(run.peakMib).toBeLessThanOrEqual(256);
});

it("gives one receipt, whether a thread of its own takes the fingerprints or not", async () => {
  const io = fakeIo();

  await run(["diagnose", "--json", dir], io, () => catalog);
  const built = await measure(process.execPath, ["dist/src/main.js", "diagnose", "--json", dir]);

  expect(JSON.parse(built.out)).toEqual(JSON.parse(io.printed));
});

it("gives the same verdict when fed in pieces of any size", async () => {
  const names = readdirSync(dir).sort().slice(0, 24);
  const random = seeded(6);

  const large = await verdictOf(names, () => 1 << 20);

  expect(await verdictOf(names, () => 1_000 + Math.floor(random() * 200_000))).toEqual(large);
});

async function verdictOf(names: readonly string[], size: () => number): Promise<unknown> {
  const reader = createReader(rules);
  for (const name of names) {
    for await (const chunk of createReadStream(join(dir, name), { highWaterMark: 1 << 20 })) {
      const bytes = chunk as Uint8Array;
      for (let at = 0; at < bytes.length; ) {
        const piece = size();
        reader.push(name, bytes.subarray(at, at + piece));
        at += piece;
      }
    }
    reader.end(name);
  }
  return reader.finish();
}
