// Reads a paste for the service: redacted, diagnosed, hashed. Big ones in a thread of their own, so that acknowledging
// other deliveries stays quick.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Given } from "./case/fresh.ts";
import { diagnose } from "./diagnose/diagnose.ts";
import { redact } from "./diagnose/redact.ts";
import type { Rules } from "./diagnose/rules.ts";

/** What one reading takes at this size: about 20 ms. */
const BIG = 256 * 1024;
const LONGEST_MS = 60_000;

/** The built file beside this one; the sources, which only tests run, have none and read inline. */
const WORKER = new URL("./reading-worker.js", import.meta.url);

export function createRead(rules: Rules): (text: string, message: string) => Promise<Given> {
  return async (text, message) => {
    const big = Buffer.byteLength(text) > BIG && existsSync(WORKER);
    return { ...(big ? await readApart(text, rules) : read(text, rules)), message };
  };
}

export function read(text: string, rules: Rules): Omit<Given, "message"> {
  const clean = redact(text).text;
  const verdict = diagnose(clean, rules);
  const { lines, bytes } = verdict.input;
  const hash = createHash("sha256").update(clean).digest("hex");
  return { sources: [{ name: "paste", lines, bytes, hash }], verdict, text: clean };
}

function readApart(text: string, rules: Rules): Promise<Omit<Given, "message">> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { workerData: { text, rules } });
    const timer = setTimeout(() => {
      reject(new Error(`a paste was not read within ${LONGEST_MS / 1000} s`));
      void worker.terminate();
    }, LONGEST_MS);
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`the thread that read a paste ended with ${code}`));
    });
  });
}
