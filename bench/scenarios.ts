// From a seed to a job: how large, on what, how it is logged, what breaks. And whether a verdict says what is true of it.
import type { Verdict } from "../src/diagnose/verdict-type.ts";
import { type ClusterSpec, clusterOf, type Truth } from "./cluster.ts";
import { FAULT_NAMES, FAULTS, type Fault, type FaultKind } from "./faults.ts";
import { pick, seeded } from "./random.ts";

export function scenarioOf(seed: number, fault: Fault, sizes: readonly number[]): ClusterSpec {
  const random = seeded(seed * 7_919 + FAULT_NAMES.indexOf(fault));
  const ranks = pick(random, sizes);
  const layout = pick(random, ["per-rank", "per-node", "merged"] as const);
  const kind: FaultKind = FAULTS[fault];
  const spec: ClusterSpec = {
    seed,
    ranks,
    ranksPerNode: pick(random, [4, 8]),
    steps: ranks > 256 ? 4 : 7,
    fault,
    layout,
    torch: pick(random, ["2.1", "2.3", "2.5", "2.7"] as const),
    launcher: pick(
      random,
      layout === "per-rank" ? (["torchrun", "bare"] as const) : (["torchrun", "srun", "mpirun", "bare"] as const),
    ),
    clocks: pick(random, ["one", "skewed", "mixed", "none"] as const),
    everyLine: random() < 0.5,
    // A file that is not there and a rank that is to blame look the same: no one is to blame where all wait.
    missing: fault === "all-wait" || random() < 0.7 ? "none" : pick(random, ["others", "culprit"] as const),
    // A run that failed, was started again and ended well is no healthy one.
    attempts: fault === "healthy" || random() < 0.75 ? 1 : 2,
    noise: pick(random, [0, 0.2, 1]),
    colours: random() < 0.3,
    stepsBy: pick(random, ["all", "all", "first", "last"] as const),
  };
  const pairs = kind.by === "rank" && kind.others === "time-out" && kind.label === "other";
  if (pairs && spec.missing === "none" && random() < 0.3) spec.second = pick(random, ["gpu-off-bus", "oom"] as const);
  if (spec.second === undefined) delete spec.second;
  return spec;
}

export interface Score {
  label: boolean;
  /** The culprit named, or not named where the text does not tell it. */
  rank: boolean;
  /** Says what is not true and is sure of it. */
  confidentlyWrong: boolean;
  say: string;
}

const CONFIDENT = 0.8;

export function score(truth: Truth, verdict: Verdict): Score {
  const named = verdict.facts.rank?.value ?? null;
  const either = truth.second !== null && !truth.second.ordered;
  const label =
    verdict.label === truth.label ||
    // The culprit's own log is not there: what is left shows waiting, or nothing.
    (!truth.labelTold && verdict.label === (FAULTS[truth.fault].others === "stopped" ? "none" : "nccl-timeout")) ||
    (either && verdict.label === truth.second?.label);
  const culprits = [truth.rank, ...(either ? [truth.second?.rank ?? null, null] : [])];
  const wrongName = named !== null && named !== truth.culprit && !culprits.includes(named as number);
  const rank = culprits.includes(named as number | null) || (named === truth.culprit && truth.rank === null);
  const second =
    truth.second === null || [verdict.label, ...verdict.secondary.map((one) => one.label)].includes(truth.second.label);
  return {
    label: label && second,
    rank: rank && !wrongName,
    confidentlyWrong: verdict.confidence >= CONFIDENT && (!label || wrongName),
    say: `${truth.fault}: ${verdict.label} (${verdict.confidence.toFixed(2)}), rank ${named}, true ${truth.label}, ${truth.culprit}${truth.rank === null ? " untold" : ""}`,
  };
}

export function textsOf(spec: ClusterSpec): { sources: { name: string; text: string }[]; truth: Truth } {
  const { files, truth } = clusterOf(spec);
  return { truth, sources: files.map((file) => ({ name: file.name, text: `${[...file.lines].join("\n")}\n` })) };
}
