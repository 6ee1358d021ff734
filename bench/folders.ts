// The full diagnosis of a folder of 2 048 ranks at several sizes, against grep and ripgrep over the same literals.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCatalog } from "../src/catalog.ts";
import { MAIN, measure, type Run, type Spread, spreadOf } from "./measure.ts";
import { specFor, writeCluster } from "./write-cluster.ts";

const RANKS = 2_048;
const ROUNDS = 5;

export function literalsOf(signatures: readonly { literal?: string | string[] | undefined }[]): string[] {
  return [...new Set(signatures.flatMap((one) => [one.literal ?? []].flat()))];
}

/** All commands take turns in each round, so that a machine that is busy for a while is so for all of them. */
export async function folders(sizes: readonly number[]): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "firstfault-bench-"));
  try {
    const literals = literalsOf((await loadCatalog()).rules.signatures);
    const list = join(dir, "literals");
    writeFileSync(list, `${literals.join("\n")}\n`);
    const peers: Record<string, string[]> = {
      [`LC_ALL=C grep -rcF -f the same ${literals.length} literals`]: ["grep", "-rcF", "-f", list],
      ...(hasRipgrep() ? { "rg -j2 -cF -f the same": ["rg", "-j2", "-cF", "-f", list] } : {}),
    };
    const seconds: { mb: number; median: number }[] = [];
    for (const mb of sizes) {
      const logs = join(dir, `${mb}`);
      await writeCluster(logs, specFor({ mb, ranks: RANKS, fault: "oom", seed: 1 }));
      const ours: Run[] = [];
      const theirs: Run[][] = Object.keys(peers).map(() => []);
      for (let round = 0; round < ROUNDS; round += 1) {
        ours.push(await measure(process.execPath, [MAIN, "diagnose", "--json", logs]));
        for (const [index, [command = "", ...args]] of Object.values(peers).entries()) {
          theirs[index]?.push(await measure(command, [...args, logs], { ...process.env, LC_ALL: "C" }));
        }
      }
      rmSync(logs, { recursive: true });
      tell(mb, ours);
      for (const [index, name] of Object.keys(peers).entries()) compare(name, ours, theirs[index] ?? []);
      seconds.push({ mb, median: spreadOf(ours.map((run) => run.seconds)).median });
    }
    for (const [index, { mb, median }] of seconds.entries()) {
      const before = seconds[index - 1];
      if (before) console.log(`${mb} MB take ${(median / before.median).toFixed(2)} x as long as ${before.mb} MB`);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function tell(mb: number, runs: readonly Run[]): void {
  const peak = Math.max(...runs.map((run) => run.peakMib));
  console.log(`diagnose on a folder of ${mb} MB, ${RANKS} ranks: ${shown(runs)}, peak memory ${peak.toFixed(0)} MiB`);
}

/** Ratios within each round. */
function compare(name: string, ours: readonly Run[], theirs: readonly Run[]): void {
  const ratio = (of: (run: Run) => number): Spread =>
    spreadOf(ours.flatMap((run, round) => (theirs[round] ? [of(run) / of(theirs[round])] : [])));
  const { median, min, max } = ratio((run) => run.seconds);
  const processor = ratio((run) => run.processor);
  console.log(`  peer, ${name}: ${shown(theirs)}`);
  console.log(
    `  ratio ${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)}), of processor time ${processor.median.toFixed(2)}`,
  );
}

function shown(runs: readonly Run[]): string {
  const { median, min, max } = spreadOf(runs.map((run) => run.seconds));
  const processor = spreadOf(runs.map((run) => run.processor)).median;
  return `${median.toFixed(2)} s (${min.toFixed(2)} to ${max.toFixed(2)}), ${processor.toFixed(2)} s of processor time`;
}

/** The peer is a Debian package; a bench on a bare machine installs it, and says so where it cannot. */
function hasRipgrep(): boolean {
  if (existsSync("/usr/bin/rg")) return true;
  try {
    execFileSync("apt-get", ["install", "-y", "-qq", "ripgrep"], { stdio: "ignore" });
  } catch {
    console.log("ripgrep is not here and could not be installed");
  }
  return existsSync("/usr/bin/rg");
}
