// A big paste is read in a thread of its own, so that acknowledging other deliveries stays quick; a small one here.
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Rules } from "../diagnose/rules.ts";
import { createSession, type Made } from "./session.ts";

/** What the thread is told. */
export type Step =
  | { kind: "push"; name: string; chunk: Uint8Array }
  | { kind: "end"; name: string }
  | { kind: "finish" };

/** As a session, but each step may take its time. */
export interface Reading {
  push(name: string, chunk: Uint8Array): Promise<void>;
  end(name: string): Promise<void>;
  finish(): Promise<Made>;
  /** It is not read to its end. */
  stop(): void;
}

/** What one reading takes at this size: about 20 ms. */
const BIG = 256 * 1024;
const LONGEST_MS = 60_000;

/** The built file beside this one; the sources, which only tests run, have none and read inline. */
const WORKER = new URL("./worker.js", import.meta.url);

export function createReading(rules: Rules): Reading {
  if (!existsSync(WORKER)) return here(rules);
  let held: Step[] = [];
  let bytes = 0;
  let apart: Reading | null = null;

  async function take(step: Step): Promise<void> {
    if (apart) return tell(apart, step);
    held.push(step);
    bytes += step.kind === "push" ? step.chunk.length : 0;
    if (bytes <= BIG) return;
    apart = inThread(rules);
    const all = held;
    held = [];
    for (const one of all) await tell(apart, one);
  }

  return {
    push: (name, chunk) => take({ kind: "push", name, chunk: Uint8Array.from(chunk) }),
    end: (name) => take({ kind: "end", name }),
    async finish() {
      if (apart) return apart.finish();
      const reading = here(rules);
      for (const step of held) await tell(reading, step);
      return reading.finish();
    },
    stop: () => apart?.stop(),
  };
}

async function tell(reading: Reading, step: Step): Promise<void> {
  if (step.kind === "push") await reading.push(step.name, step.chunk);
  if (step.kind === "end") await reading.end(step.name);
}

function here(rules: Rules): Reading {
  const session = createSession(rules);
  return {
    push: async (name, chunk) => session.push(name, chunk),
    end: async (name) => session.end(name),
    finish: async () => session.finish(),
    stop() {},
  };
}

/** Step by step: the next is told when the one before is done, so that no more than one piece waits. */
function inThread(rules: Rules): Reading {
  const worker = new Worker(WORKER, { workerData: { rules } });
  let settle: { resolve(made: Made | null): void; reject(why: Error): void } | null = null;
  let failed: Error | null = null;
  const fail = (error: Error): void => {
    failed ??= error;
    settle?.reject(failed);
    void worker.terminate();
  };
  worker.on("message", ({ made }: { made?: Made }) => settle?.resolve(made ?? null));
  worker.on("error", fail);
  worker.on("exit", (code) => fail(new Error(`the thread that read a paste ended with ${code}`)));

  async function ask(step: Step): Promise<Made | null> {
    if (failed) throw failed;
    const late = setTimeout(() => fail(new Error(`a paste was not read within ${LONGEST_MS / 1000} s`)), LONGEST_MS);
    try {
      return await new Promise<Made | null>((resolve, reject) => {
        settle = { resolve, reject };
        worker.postMessage(step);
      });
    } finally {
      clearTimeout(late);
      settle = null;
    }
  }

  return {
    push: async (name, chunk) => void (await ask({ kind: "push", name, chunk })),
    end: async (name) => void (await ask({ kind: "end", name })),
    async finish() {
      const made = await ask({ kind: "finish" });
      if (!made) throw new Error("the thread that read a paste gave nothing");
      return made;
    },
    stop: () => void worker.terminate(),
  };
}
