// Writes a generated cluster log to a folder: node dist/bench/write-cluster.js FOLDER [MB] [RANKS] [FAULT] [SEED]
import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type ClusterSpec, clusterOf, type Fault, type Truth } from "./cluster.ts";

/** A training line of the generator is about so long. */
const LINE_BYTES = 130;

export function specFor(given: {
  mb: number;
  ranks: number;
  fault: Fault;
  seed: number;
  layout?: ClusterSpec["layout"];
}): ClusterSpec {
  const { mb, ranks, fault, seed, layout = "per-rank" } = given;
  return { seed, ranks, ranksPerNode: 8, steps: Math.ceil((mb * 1e6) / LINE_BYTES / ranks), fault, layout };
}

export async function writeCluster(folder: string, spec: ClusterSpec): Promise<Truth> {
  const { files, truth } = clusterOf(spec);
  mkdirSync(folder, { recursive: true });
  for (const file of files) await pipeline(blocksOf(file.lines), createWriteStream(join(folder, file.name)));
  return truth;
}

function* blocksOf(lines: Iterable<string>): Generator<string> {
  let block = "";
  for (const line of lines) {
    block += `${line}\n`;
    if (block.length < 262_144) continue;
    yield block;
    block = "";
  }
  yield block;
}

if (process.argv[1]?.endsWith("write-cluster.js")) {
  const [folder = "cluster", mb = "100", ranks = "64", fault = "oom", seed = "1"] = process.argv.slice(2);
  const spec = specFor({ mb: Number(mb), ranks: Number(ranks), fault: fault as Fault, seed: Number(seed) });
  console.log(JSON.stringify(await writeCluster(folder, spec)));
}
