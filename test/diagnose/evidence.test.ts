// What a verdict stands on, and that how sure it is follows from that alone.
import { expect, it } from "vitest";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { SHARES } from "../../src/diagnose/shares.ts";
import { rules } from "./rules.ts";

const OOM =
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 2 has a total capacity of 79.11 GiB of which 1.00 GiB is free.";
const timedOut = (rank: number): string =>
  `[rank${rank}]:[E1118 04:11:09.1234 ProcessGroupNCCL.cpp:632] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=77, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.`;
const timeouts = [0, 1, 2].map(timedOut);
const steps = (count: number, loss: (step: number) => string): string[] =>
  Array.from({ length: count }, (_, step) => `step ${100 + step} loss ${loss(step)} grad_norm 0.4${step % 3} lr 1e-4`);
const flat = steps(40, (step) => (2 + (step % 4) / 100).toFixed(3));
const traceback = (error: string, file = "/w/data.py"): string[] => [
  "[rank0]: Traceback (most recent call last):",
  `[rank0]:   File "${file}", line 12, in run`,
  "[rank0]:     batch = next(it)",
  `[rank0]: ${error}`,
];

it.each<[string, string, string[]]>([
  ["a line of a machine that states the fault", "cause", [`[rank2]: ${OOM}`, ...timeouts]],
  ["the numbers of training", "curve", steps(40, (step) => (step < 20 ? "2.000" : (2 + (step - 19)).toFixed(3)))],
  ["a mistake of the program's own", "exception", traceback("KeyError: 'input_ids'")],
  [
    "an exception near a subject of the playbooks",
    "exception-nearby",
    traceback("ValueError: buffer of expert 3 has odd strides", "/w/moe/dispatch.py"),
  ],
  ["victims only", "wait", timeouts],
  [
    "victims, below a line that tells of a reason",
    "wait-and-doubts",
    ["[rank3]: fabric agent: port invalid, giving up", ...timeouts],
  ],
  ["one victim's line without rank, host or time", "bare-line", [timedOut(3).slice(timedOut(3).indexOf("Watchdog"))]],
  [
    "words that name the fault",
    "told-clearly",
    [
      "our run hangs at the first all-reduce across nodes, no error, all GPUs at 100% and 90 W, we are stuck, any idea where to look?",
    ],
  ],
  ["a failure that nothing knows", "failure", ["worker 3: unit went away", "job exited with code 213"]],
  ["green tests", "no-log", ["test_a.py::one PASSED", "test_a.py::two PASSED", "2 passed in 0.4s"]],
  [
    "settings, and a person's words among them",
    "settings-and-words",
    [
      "these are the values of the new run, as we agreed",
      "hidden: 4096",
      "layers: 32",
      "heads: 32",
      "batch: 8",
      "lr: 3e-4",
    ],
  ],
  ["talk", "talk", ["the loss spike talk from the reading group is next week, figure 3 of the paper is nice"]],
  ["a run that says it ended well", "ended-well", [...flat, "training finished after 40 steps"]],
  ["a run that goes on", "training", flat],
  [
    "a run that goes on, a number of which leaves its range",
    "moved",
    flat.map((line, step) => `${line} gate_skew: ${step < 20 ? 1.1 : 1 + step / 4}`),
  ],
  ["a run that ends with something else", "stopped", [...flat, "leaving the loop on request of the controller"]],
  ["a run whose last lines warn", "warnings", [...flat, "[monitor] heartbeat: peer 3 unreachable"]],
])("rests a verdict on %s: %s", (_, evidence, lines) => {
  const verdict = diagnose(lines.join("\n"), rules);

  expect({ evidence: verdict.evidence, confidence: verdict.confidence }).toEqual({
    evidence,
    confidence: SHARES[evidence as keyof typeof SHARES],
  });
});

it("is sure of what a machine states, and unsure where victims are all there is and something else complains", () => {
  expect(SHARES.cause).toBeGreaterThanOrEqual(0.95);
  expect(SHARES["wait-and-doubts"]).toBeLessThan(0.8);
  expect(SHARES["exception-nearby"]).toBeLessThan(0.8);
  expect(SHARES.stopped).toBeLessThan(0.8);
  expect(Math.max(...Object.values(SHARES))).toBeLessThan(1);
});
