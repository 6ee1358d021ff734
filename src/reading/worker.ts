// The thread that reads one big paste and ends.
import { parentPort, workerData } from "node:worker_threads";
import type { Rules } from "../diagnose/rules.ts";
import type { Step } from "./apart.ts";
import { createSession } from "./session.ts";

const { rules } = workerData as { rules: Rules };
const session = createSession(rules);

parentPort?.on("message", (step: Step) => {
  if (step.kind === "push") session.push(step.name, step.chunk);
  if (step.kind === "end") session.end(step.name);
  if (step.kind !== "finish") return parentPort?.postMessage({ kind: "done" });
  parentPort?.postMessage({ kind: "made", made: session.finish() });
  parentPort?.close();
});
