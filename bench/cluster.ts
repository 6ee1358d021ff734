// A seeded generator of cluster logs with the truth beside them: one fault somewhere, then the long dull rest.
// Bench and the long tests read what it writes; nothing in it is taken from a labelled case.

export interface ClusterSpec {
  seed: number;
  ranks: number;
  ranksPerNode: number;
  /** Training lines per rank before the fault; sets the size. */
  steps: number;
  fault: Fault;
  layout: "per-rank" | "per-node" | "merged";
}

export type Fault = keyof typeof FAULTS;

export interface ClusterFile {
  name: string;
  lines: Generator<string>;
}

export interface Truth {
  label: string;
  /** The rank that failed first; null where no rank prints the cause. */
  rank: number | null;
  fault: Fault;
}

/** What the culprit prints, in place of going on. A `silent` culprit prints nothing and is missing. */
const FAULTS = {
  oom: {
    label: "oom",
    lines: [
      "Traceback (most recent call last):",
      '  File "/opt/train/pretrain.py", line 412, in train_step',
      "    loss.backward()",
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 5 has a total capacity of 79.11 GiB of which 1.21 GiB is free. Including non-PyTorch memory, this process has 77.89 GiB memory in use. Of the allocated memory 71.20 GiB is allocated by PyTorch, and 4.10 GiB is reserved by PyTorch but unallocated.",
    ],
  },
  exception: {
    label: "other",
    lines: [
      "Traceback (most recent call last):",
      '  File "/opt/train/data.py", line 88, in __next__',
      "    return self.rows[index]",
      "KeyError: 'input_ids'",
    ],
  },
  "gpu-off-bus": {
    label: "other",
    lines: ["NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."],
  },
  "illegal-access": {
    label: "other",
    lines: [
      "Traceback (most recent call last):",
      '  File "/opt/train/pretrain.py", line 398, in train_step',
      "RuntimeError: CUDA error: an illegal memory access was encountered",
    ],
  },
  "load-error": {
    label: "checkpoint-mismatch",
    lines: [
      "Traceback (most recent call last):",
      '  File "/opt/train/checkpoint.py", line 51, in load',
      "RuntimeError: Error(s) in loading state_dict for GPTModel:",
      "\tsize mismatch for output_layer.weight: copying a param with shape torch.Size([32128, 4096]) from checkpoint, the shape in current model is torch.Size([32256, 4096]).",
    ],
  },
  "disk-full": {
    label: "other",
    lines: [
      "Traceback (most recent call last):",
      '  File "/opt/train/checkpoint.py", line 93, in save',
      "OSError: [Errno 28] No space left on device",
    ],
  },
  "silent-rank": { label: "nccl-timeout", lines: [], silent: true },
} satisfies Record<string, { label: string; lines: string[]; silent?: boolean }>;

const TIMEOUT_MS = 600_000;
const STEP_MS = 1_900;
const START = Date.UTC(2026, 2, 2, 3, 0, 0);

export function clusterOf(spec: ClusterSpec): { files: ClusterFile[]; truth: Truth } {
  const random = seeded(spec.seed);
  const culprit = Math.floor(random() * spec.ranks);
  const fault: { label: string; silent?: boolean } = FAULTS[spec.fault];
  const truth: Truth = { label: fault.label, rank: culprit, fault: spec.fault };
  const ranks = Array.from({ length: spec.ranks }, (_, rank) => rank);
  const name = (rank: number): string => `node-${String(Math.floor(rank / spec.ranksPerNode)).padStart(3, "0")}`;
  const lines = (rank: number): Generator<string> => rankLines({ spec, rank, culprit, host: name(rank) });
  if (spec.layout === "per-rank")
    return { truth, files: ranks.map((rank) => ({ name: `rank_${rank}.log`, lines: lines(rank) })) };
  if (spec.layout === "merged") return { truth, files: [{ name: "job.log", lines: inOrder(ranks.map(lines)) }] };
  const nodes = [...new Set(ranks.map(name))];
  return {
    truth,
    files: nodes.map((node) => ({
      name: `${node}.log`,
      lines: inOrder(ranks.filter((rank) => name(rank) === node).map(lines)),
    })),
  };
}

interface RankSpec {
  spec: ClusterSpec;
  rank: number;
  culprit: number;
  host: string;
}

function* rankLines({ spec, rank, culprit, host }: RankSpec): Generator<string> {
  const random = seeded(spec.seed * 65_537 + rank + 1);
  const prefix = `[rank${rank}]:`;
  let at = START + random() * 50;
  yield `${stamp(at)} ${prefix} INFO init: host ${host} rank ${rank} of ${spec.ranks}, NCCL version 2.27.3+cuda12.9`;
  for (let step = 1; step <= spec.steps; step += 1) {
    at = START + step * STEP_MS + random() * 40;
    const loss = (2.2 + 3 / Math.sqrt(step + 4) + (random() - 0.5) * 0.02).toFixed(4);
    yield `${stamp(at)} ${prefix} INFO step: ${1_000 + step} loss: ${loss} grad_norm: ${(0.3 + random() * 0.1).toFixed(4)} memory: 61.${Math.floor(random() * 90 + 10)}GiB(77.2%) tps: ${Math.floor(9_000 + random() * 400)} mfu: 38.${Math.floor(random() * 90)}%`;
  }
  const failed = START + (spec.steps + 1) * STEP_MS;
  if (rank === culprit) {
    const printed = FAULTS[spec.fault].lines;
    for (const [index, line] of printed.entries()) yield `${stamp(failed + index)} ${prefix} ${line}`;
    return;
  }
  const gaveUp = failed + TIMEOUT_MS + random() * 900;
  const seq = 31_462;
  yield `${prefix}[E${glog(gaveUp)} ProcessGroupNCCL.cpp:633] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${seq}, OpType=ALLREDUCE, NumelIn=52428800, NumelOut=52428800, Timeout(ms)=${TIMEOUT_MS}) ran for ${TIMEOUT_MS + Math.floor(random() * 90)} milliseconds before timing out.`;
  yield `${prefix}[E${glog(gaveUp + 1)} ProcessGroupNCCL.cpp:2270] [PG ID 0 PG GUID 0(default_pg) Rank ${rank}]  failure detected by watchdog at work sequence id: ${seq} PG status: last enqueued work: ${seq + 3}, last completed work: ${seq - 1}`;
  yield `${prefix}[E${glog(gaveUp + 40)} ProcessGroupNCCL.cpp:681] [Rank ${rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.`;
}

/** Lines of several ranks in the order of their numbers of lines: close enough to time, and it needs no memory. */
function* inOrder(all: Generator<string>[]): Generator<string> {
  let open = all;
  while (open.length > 0) {
    const next: Generator<string>[] = [];
    for (const lines of open) {
      const { value, done } = lines.next();
      if (done) continue;
      yield value;
      next.push(lines);
    }
    open = next;
  }
}

function stamp(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").replace("Z", "").replace(".", ",");
}

function glog(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${two(date.getUTCMonth() + 1)}${two(date.getUTCDate())}`;
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${day} ${time}.${String(date.getUTCMilliseconds()).padStart(3, "0")}000000`;
}

/** mulberry32: the same seed, the same log. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
