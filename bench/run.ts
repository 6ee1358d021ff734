// Speed and memory as ratios against a named peer, in one run: npm run bench [-- small|start|folder|patterns] [MB...]
// Nothing here passes or fails; read the ratios.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadCatalog } from "../src/catalog.ts";
import { diagnose } from "../src/diagnose/diagnose.ts";
import { clusterOf } from "./cluster.ts";
import { folders, literalsOf } from "./folders.ts";
import { MAIN, measure, type Spread, spreadOf } from "./measure.ts";
import { type Slow, slowestLines, slowestPatterns } from "./patterns.ts";

/** What the folders of the default run hold, in MB. */
const SIZES = [50, 500, 2_000];
const ROUNDS = 9;

async function small(): Promise<void> {
  const { rules } = await loadCatalog();
  const { files } = clusterOf({ seed: 4, ranks: 8, ranksPerNode: 8, steps: 122, fault: "oom", layout: "merged" });
  const text = [...(files[0]?.lines ?? [])].slice(-1_000).join("\n");
  const literals = literalsOf(rules.signatures);
  const any = new RegExp(literals.map((literal) => literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|"), "g");
  const ours: number[] = [];
  const peer: number[] = [];
  for (let round = 0; round < 60; round += 1) {
    ours.push(timed(() => diagnose(text, rules)));
    peer.push(timed(() => text.match(any)));
  }
  const warm = { ours: spreadOf(ours.slice(20)), peer: spreadOf(peer.slice(20)) };
  say("a 1 000-line paste, warm", "one pass of the same text through the alternation of all literals", warm);
}

async function start(): Promise<void> {
  const log = join(import.meta.dirname, "..", "..", "fixtures", "try", "cascade.log");
  const ours: number[] = [];
  const peer: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push((await measure(process.execPath, [MAIN, "diagnose", "--json", log])).seconds * 1000);
    peer.push((await measure(process.execPath, ["-e", "0"])).seconds * 1000);
  }
  const found = { ours: spreadOf(ours), peer: spreadOf(peer) };
  say("diagnose on one log, from a cold start", "node -e 0", found);
  console.log(`  over the peer: ${(found.ours.median - found.peer.median).toFixed(0)} ms`);
}

async function patterns(): Promise<void> {
  const { rules } = await loadCatalog();
  diagnose("[rank0]: warm", rules);
  const show = ({ what, line, ms }: Slow): void =>
    console.log(`  ${ms.toFixed(2).padStart(8)} ms  ${what}  ${JSON.stringify(line)}`);
  console.log(
    `the slowest of ${rules.signatures.length} patterns, on as much of a line as a pattern sees, made to be slow:`,
  );
  slowestPatterns(rules.signatures).slice(0, 8).forEach(show);
  console.log("the slowest whole lines of 32 kB, through everything that reads them:");
  slowestLines(rules).slice(0, 8).forEach(show);
}

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function say(what: string, peer: string, found: { ours: Spread; peer: Spread }): void {
  console.log(`${what}: ${ms(found.ours)}`);
  console.log(`  peer, ${peer}: ${ms(found.peer)}`);
  console.log(`  ratio ${(found.ours.median / found.peer.median).toFixed(2)}`);
}

function ms({ median, min, max }: Spread): string {
  return `${median.toFixed(1)} ms (${min.toFixed(1)} to ${max.toFixed(1)})`;
}

const [what, ...sizes] = process.argv.slice(2);
const load = readFileSync("/proc/loadavg", "utf8").split(" ")[0];
console.log(`node ${process.version}, load ${load}`);
if (!what || what === "small") await small();
if (!what || what === "start") await start();
if (!what || what === "patterns") await patterns();
if (!what || what === "folder") await folders(sizes.length > 0 ? sizes.map(Number) : SIZES);
