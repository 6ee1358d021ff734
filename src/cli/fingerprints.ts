// The fingerprints of all sources of one case: of large files in a thread of their own, which reads them once more from the
// system's cache, while the first thread looks for the fault.
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { createRedactor } from "../diagnose/redact.ts";
import { createFingerprint, type Fingerprint } from "../reading/fingerprint.ts";
import type { GivenSource } from "./sources.ts";

export interface Printed {
  hash: string;
  redacted: Record<string, number>;
}

export interface Fingerprints {
  begin(): void;
  push(chunk: Uint8Array): void;
  /** The source that has begun counts; one that is left out does not. */
  end(source: GivenSource): void;
  /** In the order of `end`. */
  finish(): Promise<Printed[]>;
}

/** In bytes: below this a thread takes longer to start than it saves. */
const LARGE = 16_000_000;
/** The built file beside this one; the sources, which only tests run, have none. */
const WORKER = new URL("./fingerprint-worker.js", import.meta.url);

export function isLarge(sources: readonly GivenSource[]): boolean {
  return sources.reduce((sum, source) => sum + (source.file?.size ?? 0), 0) > LARGE;
}

export function createFingerprints(sources: readonly GivenSource[]): Fingerprints {
  const paths = sources.flatMap((source) => (source.file ? [source.file.path] : []));
  return isLarge(sources) && paths.length === sources.length && existsSync(WORKER) ? apart(paths) : inPlace();
}

function inPlace(): Fingerprints {
  const printed: Printed[] = [];
  let redactor = createRedactor();
  let fingerprint: Fingerprint = createFingerprint(redactor);
  return {
    begin() {
      // A key that one file leaves open does not swallow the next.
      redactor = createRedactor();
      fingerprint = createFingerprint(redactor);
    },
    push: (chunk) => fingerprint.push(chunk),
    end() {
      printed.push({ hash: fingerprint.digest(), redacted: redactor.counts });
    },
    finish: async () => printed,
  };
}

function apart(paths: readonly string[]): Fingerprints {
  const counted: string[] = [];
  const worker = new Worker(WORKER, { workerData: paths });
  // Where reading ends with an error the program does not wait for the thread.
  worker.unref();
  const all = new Promise<Map<string, Printed>>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`the thread that takes fingerprints ended with ${code}`)));
  });
  // Whoever stops before the end is not told that nobody waited.
  all.catch(() => {});
  return {
    begin() {},
    push() {},
    end(source) {
      if (source.file) counted.push(source.file.path);
    },
    async finish() {
      worker.ref();
      const printed = await all;
      return counted.flatMap((path) => printed.get(path) ?? []);
    },
  };
}
