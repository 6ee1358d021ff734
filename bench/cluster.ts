// A seeded generator of cluster logs with the truth beside them: one fault somewhere, then the long dull rest.
// Bench and tests read what it writes; nothing in it is taken from a labelled case.
import type { Label } from "../src/facts/signature.ts";
import { coloured, kernel, type Launcher, type NodeClock, prefix, stamp } from "./dress.ts";
import { FAULTS, type Fault, type FaultKind, NOISE } from "./faults.ts";
import { below, pick, type Random, seeded } from "./random.ts";
import { type Group, type Torch, timedOut, toldToDump, type Wait } from "./waiters.ts";

export type { Fault } from "./faults.ts";

export interface ClusterSpec {
  seed: number;
  ranks: number;
  ranksPerNode: number;
  /** Training lines per rank before the fault; sets the size. */
  steps: number;
  fault: Fault;
  layout: "per-rank" | "per-node" | "merged";
  torch?: Torch;
  launcher?: Launcher;
  /** one: all nodes print one good clock; skewed: nodes are wrong by seconds to minutes; mixed: also formats and zones differ. */
  clocks?: "one" | "skewed" | "mixed" | "none";
  /** A collector stamps every line. */
  everyLine?: boolean;
  /** Files that are not there: some other ranks' or nodes', or the culprit's. Not for merged logs. */
  missing?: "none" | "others" | "culprit";
  /** How often the job was started; all but the last attempt failed of something else. */
  attempts?: number;
  /** Lines of no importance per training line. */
  noise?: number;
  colours?: boolean;
  /** Who prints training lines; others say nothing until the end. */
  stepsBy?: "all" | "first" | "last";
  /** A fault of another kind, on another node, a little later. */
  second?: Fault;
}

export interface ClusterFile {
  name: string;
  lines: Iterable<string>;
}

export interface Truth {
  label: Label;
  fault: Fault;
  /** The rank that failed first; null in a healthy run. */
  culprit: number | null;
  /** The rank as the text gives it away; null where it cannot be told from it, or where no rank is to blame. */
  rank: number | null;
  /** False where the text does not tell the label either: the culprit's own log is not there. */
  labelTold: boolean;
  /** The independent second fault, and whether the text tells which of the two came first. */
  second: { label: Label; rank: number; ordered: boolean } | null;
}

const TIMEOUT_MS = 600_000;
const STEP_MS = 1_900;
const START = Date.UTC(2026, 2, 2, 3, 0, 0);
const RESTART_MS = 1_200_000;
const GROUP = 8;

interface Plan extends Required<Omit<ClusterSpec, "second">> {
  second: Fault | null;
  culprit: number;
  secondRank: number;
  clocksOf: readonly NodeClock[];
  said: readonly string[];
}

export function clusterOf(spec: ClusterSpec): { files: ClusterFile[]; truth: Truth } {
  const plan = planOf(spec);
  const ranks = Array.from({ length: plan.ranks }, (_, rank) => rank);
  const files = filesOf(plan, ranks);
  return { files, truth: truthOf(plan, gone(plan)) };
}

function planOf(spec: ClusterSpec): Plan {
  const random = seeded(spec.seed);
  const culprit = below(random, spec.ranks);
  const nodes = Math.ceil(spec.ranks / spec.ranksPerNode);
  const clocks = spec.clocks ?? "one";
  const everyLine = spec.everyLine ?? true;
  const kind: FaultKind = FAULTS[spec.fault];
  const otherNode = (Math.floor(culprit / spec.ranksPerNode) + 1) % nodes;
  return {
    torch: "2.7",
    launcher: "torchrun",
    missing: "none",
    attempts: 1,
    noise: 0,
    colours: false,
    stepsBy: "all",
    ...spec,
    clocks,
    everyLine,
    second: spec.second ?? null,
    culprit,
    secondRank: Math.min(spec.ranks - 1, otherNode * spec.ranksPerNode + below(random, spec.ranksPerNode)),
    clocksOf: Array.from({ length: nodes }, () => clockOf(random, clocks, everyLine)),
    said: pick(random, kind.said),
  };
}

function clockOf(random: Random, clocks: NonNullable<ClusterSpec["clocks"]>, everyLine: boolean): NodeClock {
  const skew = clocks === "skewed" || clocks === "mixed" ? Math.round((random() - 0.5) * 2 * 400_000) : 0;
  const mixed = clocks === "mixed";
  const format = clocks === "none" ? "none" : mixed ? pick(random, ["iso", "iso-utc", "day", "glog"] as const) : "iso";
  return { format, skew, zone: mixed ? pick(random, [0, 480, -420]) : 0, everyLine };
}

/** Whose files are not there: by rank, or by node where a node has one file. */
function gone(plan: Plan): Set<number> {
  if (plan.missing === "none" || plan.layout === "merged") return new Set();
  const unit = plan.layout === "per-node" ? plan.ranksPerNode : 1;
  const units = Math.ceil(plan.ranks / unit);
  const own = Math.floor(plan.culprit / unit);
  const first = plan.missing === "culprit" ? own : (own + 1) % units;
  const ranks = new Set<number>();
  if (units < 3) return ranks;
  for (let rank = first * unit; rank < (first + 1) * unit && rank < plan.ranks; rank += 1) ranks.add(rank);
  return ranks;
}

function truthOf(plan: Plan, missing: ReadonlySet<number>): Truth {
  const kind: FaultKind = FAULTS[plan.fault];
  const truth: Truth = {
    label: kind.label,
    fault: plan.fault,
    culprit: plan.fault === "healthy" || plan.fault === "all-wait" ? null : plan.culprit,
    rank: plan.culprit,
    labelTold: true,
    second: null,
  };
  if (kind.told === "no") truth.rank = null;
  // The kernel's own lines stand in the node's log, or in one of their own.
  const unseen = missing.has(plan.culprit) && (kind.by !== "kernel" || plan.layout === "per-node");
  if (unseen && kind.by !== "nobody") truth.labelTold = false;
  // Told by the hole in the row: exactly one rank may be silent.
  if (kind.told === "silence" || unseen) {
    const silent = new Set([...missing, plan.culprit, ...(plan.second ? [plan.secondRank] : [])]);
    if (silent.size > 1 || plan.ranks < 4 || (unseen && kind.told === "no")) truth.rank = null;
  }
  // A traceback without a prefix: the hole among those who give up tells whose it is.
  if (plan.launcher === "bare" && plan.layout !== "per-rank" && kind.by === "rank" && kind.told === "printed") {
    const silent = new Set([...missing, plan.culprit, ...(plan.second ? [plan.secondRank] : [])]);
    const saysItself = plan.said.some((line) => line.includes("{rank}"));
    if (silent.size > 1 && !(saysItself && !unseen)) truth.rank = null;
  }
  if (plan.fault === "late-in-group" && (plan.torch === "2.1" || plan.torch === "2.3" || unseen)) truth.rank = null;
  if (plan.fault === "size-desync" && (plan.torch === "2.1" || unseen)) truth.rank = null;
  if (plan.second) {
    const second: FaultKind = FAULTS[plan.second];
    // Clocks that are wrong are put right by steps that every rank prints.
    const ordered = plan.clocks !== "none" && plan.everyLine && (plan.clocks === "one" || plan.stepsBy === "all");
    truth.second = { label: second.label, rank: plan.secondRank, ordered };
  }
  return truth;
}

function filesOf(plan: Plan, ranks: readonly number[]): ClusterFile[] {
  const missing = gone(plan);
  const lines = (rank: number): Generator<string[]> => ticksOf(plan, rank);
  const host = (rank: number): string => hostOf(plan, rank);
  const there = ranks.filter((rank) => !missing.has(rank));
  const kernels = kernelLines(plan);
  if (plan.layout === "merged")
    return [
      {
        name: "job.log",
        lines: chain(
          inOrder(there.map(lines)),
          kernels.map((one) => one.text),
        ),
      },
    ];
  if (plan.layout === "per-node") {
    return [...new Set(there.map(host))].map((node) => ({
      name: `${node}.log`,
      lines: chain(
        inOrder(there.filter((rank) => host(rank) === node).map(lines)),
        kernels.filter((one) => one.host === node).map((one) => one.text),
      ),
    }));
  }
  const own = there.map((rank) => ({ name: `rank_${rank}.log`, lines: inOrder([lines(rank)]) }));
  const dmesg = [...new Set(kernels.map((one) => one.host))].map((node) => ({
    name: `kern-${node}.log`,
    lines: kernels.filter((one) => one.host === node).map((one) => one.text),
  }));
  return [...own, ...dmesg];
}

function hostOf(plan: Plan, rank: number): string {
  return `node-${String(Math.floor(rank / plan.ranksPerNode)).padStart(3, "0")}`;
}

function clockFor(plan: Plan, rank: number): NodeClock {
  return plan.clocksOf[Math.floor(rank / plan.ranksPerNode)] as NodeClock;
}

function startOf(attempt: number, plan: Plan): number {
  return START + attempt * (plan.steps * STEP_MS + RESTART_MS);
}

function failedAt(attempt: number, plan: Plan): number {
  return startOf(attempt, plan) + (plan.steps + 1) * STEP_MS;
}

const SECOND_AFTER_MS = 37_000;

function kernelLines(plan: Plan): { host: string; text: string }[] {
  const at = failedAt(plan.attempts - 1, plan);
  const lines: { host: string; text: string }[] = [];
  const tell = (fault: Fault | null, rank: number, said: readonly string[], ms: number): void => {
    if (fault === null || FAULTS[fault].by !== "kernel") return;
    for (const text of said)
      lines.push({
        host: hostOf(plan, rank),
        text: kernel(clockFor(plan, rank), ms, hostOf(plan, rank), filled(text, plan, rank, ms)),
      });
  };
  tell(plan.fault, plan.culprit, plan.said, at);
  tell(
    plan.second,
    plan.secondRank,
    plan.second ? (FAULTS[plan.second].said[0] as string[]) : [],
    at + SECOND_AFTER_MS,
  );
  return lines;
}

function filled(text: string, plan: Plan, rank: number, at: number): string {
  const values: Record<string, string> = {
    rank: `${rank}`,
    local: `${rank % plan.ranksPerNode}`,
    host: hostOf(plan, rank),
    pid: `${40_000 + rank}`,
    world: `${plan.ranks}`,
    day_time: new Date(at + clockFor(plan, rank).skew).toISOString().slice(0, 19).replace("T", "_"),
    time: new Date(at + clockFor(plan, rank).skew).toISOString().slice(0, 19),
  };
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** One array per moment, so that logs of several ranks can be put in order without holding them. */
function* ticksOf(plan: Plan, rank: number): Generator<string[]> {
  for (let attempt = 0; attempt < plan.attempts; attempt += 1) yield* attemptOf(plan, rank, attempt);
}

function* attemptOf(plan: Plan, rank: number, attempt: number): Generator<string[]> {
  const random = seeded(plan.seed * 65_537 + rank * 31 + attempt + 1);
  const clock = clockFor(plan, rank);
  const start = startOf(attempt, plan);
  const line = (ms: number, text: string, logged: boolean): string => {
    const time = logged || clock.everyLine ? stamp(clock, ms) : "";
    const shown = plan.colours && logged ? coloured(text) : text;
    return clock.everyLine
      ? `${time}${prefix(plan.launcher, rank)}${shown}`
      : `${prefix(plan.launcher, rank)}${time}${shown}`;
  };
  const first = rank % plan.ranksPerNode === 0;
  if (attempt > 0 && first) {
    const restarts = `[default] Starting worker group; Rendezvous complete for workers. Result: restart_count=${attempt} master_addr=node-000 master_port=29500 group_rank=${Math.floor(rank / plan.ranksPerNode)}`;
    yield [line(start - 4_000, `INFO:torch.distributed.elastic.agent.server.api:${restarts}`, false)];
  } else yield [];
  yield [
    line(
      start + random() * 50,
      `INFO init: host ${hostOf(plan, rank)} rank ${rank} of ${plan.ranks}, NCCL version 2.27.3+cuda12.9`,
      true,
    ),
    ...(rank === 0
      ? [line(start + 60, `using world size: ${plan.ranks}, data-parallel size: ${plan.ranks}`, false)]
      : []),
  ];
  for (let step = 1; step <= plan.steps; step += 1) {
    const at = start + step * STEP_MS + random() * 40;
    const loss = (2.2 + 3 / Math.sqrt(step + 4 + attempt * 40) + (random() - 0.5) * 0.02).toFixed(4);
    const speaks = plan.stepsBy === "all" || rank === (plan.stepsBy === "first" ? 0 : plan.ranks - 1);
    if (!speaks) {
      yield [];
      continue;
    }
    const lines = [
      line(
        at,
        `INFO step: ${1_000 + step} loss: ${loss} grad_norm: ${(0.3 + random() * 0.1).toFixed(4)} memory: 61.${Math.floor(random() * 90 + 10)}GiB(77.2%) tps: ${Math.floor(9_000 + random() * 400)} mfu: 38.${Math.floor(random() * 90)}%`,
        true,
      ),
    ];
    if (plan.noise > 0 && random() < plan.noise) lines.push(line(at + 5, pick(random, NOISE), false));
    yield lines;
  }
  const last = attempt === plan.attempts - 1;
  const fault = last ? plan.fault : "exception";
  const culprit = last ? plan.culprit : (plan.culprit + 5) % plan.ranks;
  yield* endOf({ plan, rank, culprit, fault, line, random, attempt });
}

interface End {
  plan: Plan;
  rank: number;
  culprit: number;
  fault: Fault;
  line: (ms: number, text: string, logged: boolean) => string;
  random: Random;
  attempt: number;
}

function* endOf({ plan, rank, culprit, fault, line, random, attempt }: End): Generator<string[]> {
  const kind: FaultKind = FAULTS[fault];
  const at = failedAt(attempt, plan);
  const last = attempt === plan.attempts - 1;
  if (fault === "healthy") {
    yield [line(at, "INFO training completed", true)];
    return;
  }
  const said = last ? plan.said : (kind.said[0] as readonly string[]);
  yield rank === culprit && kind.by === "rank"
    ? said.map((text, index) => line(at + index, filled(text, plan, rank, at), false))
    : [];
  const second = last && plan.second !== null && rank === plan.secondRank;
  if (second && FAULTS[plan.second as Fault].by === "rank") {
    const text = FAULTS[plan.second as Fault].said[0] as readonly string[];
    yield text.map((one, index) =>
      line(at + SECOND_AFTER_MS + index, filled(one, plan, rank, at + SECOND_AFTER_MS), false),
    );
  } else yield [];
  if (kind.by === "launcher" && rank === culprit)
    yield said.map((text, index) => line(at + 1_200 + index, filled(text, plan, rank, at + 1_200), false));
  else yield [];
  const wait = kind.others === "time-out" && !second ? waitOf(plan, rank, culprit, fault) : undefined;
  yield kind.others === "closed" && rank !== culprit
    ? CLOSED.map((text, index) => line(at + 900 + index, text, false))
    : [];
  if (!wait) {
    // Every rank has as many moments as every other.
    yield [];
    return;
  }
  const gaveUp = at + TIMEOUT_MS + random() * 900;
  const clock = clockFor(plan, rank);
  const text =
    wait === "told"
      ? [toldToDump(clock, gaveUp + 500, lateWait(plan, rank), culprit === 0 ? 1 : 0)]
      : timedOut(plan.torch, clock, gaveUp, wait);
  yield text.map((one) => {
    const collected = clock.everyLine ? stamp(clock, gaveUp) : "";
    return `${collected}${one.startsWith("[rank") ? one : prefix(plan.launcher, rank) + one}`;
  });
}

const CLOSED = [
  "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2094, remote process exited or there was a network error, NCCL version 2.27.3",
  "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
];

const SEQ = 31_462;

function world(plan: Plan): Group {
  return { id: 0, guid: "0", name: "default_pg", ranks: Array.from({ length: plan.ranks }, (_, rank) => rank) };
}

const worlds = new WeakMap<Plan, Group>();
function worldOf(plan: Plan): Group {
  const known = worlds.get(plan) ?? world(plan);
  worlds.set(plan, known);
  return known;
}

function tensorGroup(plan: Plan, rank: number): Group {
  const size = Math.min(GROUP, plan.ranksPerNode);
  const index = Math.floor(rank / size);
  const ranks = Array.from({ length: size }, (_, own) => index * size + own).filter((one) => one < plan.ranks);
  return { id: 3, guid: `${40 + index}`, name: "TENSOR_MODEL_PARALLEL_GROUP", ranks };
}

function dataGroup(plan: Plan, rank: number): Group {
  const size = Math.min(GROUP, plan.ranksPerNode);
  const own = rank % size;
  const ranks = Array.from({ length: Math.ceil(plan.ranks / size) }, (_, index) => index * size + own).filter(
    (one) => one < plan.ranks,
  );
  return { id: 5, guid: `${400 + own}`, name: "DATA_PARALLEL_GROUP", ranks };
}

/** The operation that this rank gives up on; undefined where it prints no time-out; "told" where it only hears of one. */
function waitOf(plan: Plan, rank: number, culprit: number, fault: Fault): Wait | "told" | undefined {
  const wait = {
    rank,
    group: worldOf(plan),
    op: "ALLREDUCE",
    seq: SEQ,
    enqueued: SEQ + 3,
    completed: SEQ - 1,
    numel: 52_428_800,
    timeoutMs: TIMEOUT_MS,
  };
  if (fault === "all-wait") return wait;
  if (fault === "size-desync") return rank === culprit ? { ...wait, numel: 52_428_288 } : wait;
  if (rank !== culprit) {
    if (fault !== "late-in-group") return wait;
    const near = tensorGroup(plan, rank);
    return near.ranks.includes(culprit)
      ? { ...wait, group: near, op: "_ALLGATHER_BASE", seq: 9_001, enqueued: 9_001, completed: 9_000 }
      : { ...wait, group: dataGroup(plan, rank), op: "_REDUCE_SCATTER_BASE", seq: 212, enqueued: 212, completed: 211 };
  }
  return fault === "late-in-group" && plan.torch !== "2.1" && plan.torch !== "2.3" ? "told" : undefined;
}

/** The late rank had completed all it began: one less than the others of its group wait for. */
function lateWait(plan: Plan, rank: number): Wait {
  return {
    rank,
    group: tensorGroup(plan, rank),
    op: "",
    seq: 9_000,
    enqueued: 9_000,
    completed: 9_000,
    numel: 0,
    timeoutMs: TIMEOUT_MS,
  };
}

function* chain(a: Iterable<string>, b: Iterable<string>): Generator<string> {
  yield* a;
  yield* b;
}

/** Lines of several ranks, moment by moment. */
function* inOrder(all: Generator<string[]>[]): Generator<string> {
  let open = all;
  while (open.length > 0) {
    const next: Generator<string[]>[] = [];
    for (const ticks of open) {
      const { value, done } = ticks.next();
      if (done) continue;
      yield* value;
      next.push(ticks);
    }
    open = next;
  }
}
