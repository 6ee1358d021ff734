// The thread that reads one big paste and ends.
import { parentPort, workerData } from "node:worker_threads";
import type { Rules } from "./diagnose/rules.ts";
import { read } from "./reading.ts";

const { text, rules } = workerData as { text: string; rules: Rules };
parentPort?.postMessage(read(text, rules));
