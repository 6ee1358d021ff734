// The thread that takes the fingerprints of large files and ends.
import { parentPort, workerData } from "node:worker_threads";
import { createRedactor } from "../diagnose/redact.ts";
import { createFingerprint } from "../reading/fingerprint.ts";
import type { Printed } from "./fingerprints.ts";
import { readFile } from "./sources.ts";

const printed = new Map<string, Printed>();
for (const path of workerData as string[]) {
  const redactor = createRedactor();
  const fingerprint = createFingerprint(redactor);
  try {
    for await (const chunk of readFile(path)) fingerprint.push(chunk);
    printed.set(path, { hash: fingerprint.digest(), redacted: redactor.counts });
  } catch {
    // The first thread reads the same file and says what is wrong with it.
  }
}
parentPort?.postMessage(printed);
