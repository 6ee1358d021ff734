// Runs a command, its time and its peak memory; rounds, medians and spread.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The built program. */
export const MAIN = join(import.meta.dirname, "..", "src", "main.js");

export interface Run {
  seconds: number;
  /** Time on processors, all threads together: what a busy machine does not stretch. NaN where there is no /proc. */
  processor: number;
  /** Peak resident memory in MiB, from the kernel's high-water mark; NaN where there is no /proc. */
  peakMib: number;
  out: string;
  code: number | null;
}

/** What is looked at only rises, so looking often enough to see the last part of the run is enough. */
const LOOK_MS = 20;
/** Of the kernel's clock, in which it counts processor time. */
const TICKS_PER_SECOND = 100;

export function measure(command: string, args: readonly string[], env = process.env): Promise<Run> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"], env });
    let out = "";
    let peakMib = Number.NaN;
    let processor = Number.NaN;
    const look = setInterval(() => {
      peakMib = highWater(child.pid) ?? peakMib;
      processor = processorTime(child.pid) ?? processor;
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
      resolve({ seconds: (performance.now() - began) / 1000, processor, peakMib, out, code });
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

function processorTime(pid: number | undefined): number | undefined {
  try {
    // Behind the name, which may hold anything, the 12th and 13th field are the ticks in the program and in the kernel.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks / TICKS_PER_SECOND : undefined;
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
