// Runs a command, its time and its peak memory; rounds, medians and spread.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export interface Run {
  seconds: number;
  /** Peak resident memory in MiB, from the kernel's high-water mark; NaN where there is no /proc. */
  peakMib: number;
  out: string;
  code: number | null;
}

/** The high-water mark only rises, so looking often enough to see the last part of the run is enough. */
const LOOK_MS = 20;

export function measure(command: string, args: readonly string[]): Promise<Run> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
    let out = "";
    let peakMib = Number.NaN;
    const look = setInterval(() => {
      peakMib = highWater(child.pid) ?? peakMib;
    }, LOOK_MS);
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString("utf8");
    });
    child.on("error", (error) => {
      clearInterval(look);
      reject(new Error(`${command} could not be run`, { cause: error }));
    });
    child.on("close", (code) => {
      clearInterval(look);
      resolve({ seconds: (performance.now() - began) / 1000, peakMib, out, code });
    });
  });
}

function highWater(pid: number | undefined): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kib = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
    return kib === undefined ? undefined : Number(kib) / 1024;
  } catch {
    return undefined;
  }
}

export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: sorted[sorted.length >> 1] ?? Number.NaN,
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
  };
}
