// What breaks and what is printed then, as data. {rank} {local} {host} {pid} {world} are filled in by cluster.ts.
import type { Label } from "../src/facts/signature.ts";

export interface FaultKind {
  label: Label;
  /** Who prints `said`: the culprit itself, its machine's kernel, the launcher on its node, or no one. */
  by: "rank" | "kernel" | "launcher" | "nobody";
  /** One of these is printed. */
  said: readonly (readonly string[])[];
  /** What the other ranks do: wait until the time-out, find their peer gone at once, end with the job, or go on. */
  others: "time-out" | "closed" | "stopped" | "fine";
  /**
   * Whether the text gives the culprit's rank away: `printed` where the lines say it, `silence` where only the hole among
   * those who time out does, `no` where nothing does.
   */
  told: "printed" | "silence" | "no";
}

const TRACEBACK = "Traceback (most recent call last):";
const frame = (file: string, line: number, name: string): string =>
  `  File "/opt/train/${file}", line ${line}, in ${name}`;
const block = (exit: string, signal: string): string[] => [
  "============================================================",
  "pretrain.py FAILED",
  "------------------------------------------------------------",
  "Failures:",
  "  <NO_OTHER_FAILURES>",
  "------------------------------------------------------------",
  "Root Cause (first observed failure):",
  "[0]:",
  "  time      : {day_time}",
  "  host      : {host}",
  "  rank      : {rank} (local_rank: {local})",
  `  exitcode  : ${exit} (pid: {pid})`,
  "  error_file: <N/A>",
  `  traceback : ${signal}`,
  "============================================================",
];

export const FAULTS = {
  oom: {
    label: "oom",
    by: "rank",
    others: "time-out",
    told: "printed",
    said: [
      [
        TRACEBACK,
        frame("pretrain.py", 412, "train_step"),
        "    loss.backward()",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU {local} has a total capacity of 79.11 GiB of which 1.21 GiB is free. Including non-PyTorch memory, this process has 77.89 GiB memory in use. Of the allocated memory 71.20 GiB is allocated by PyTorch, and 4.10 GiB is reserved by PyTorch but unallocated.",
      ],
      [
        TRACEBACK,
        frame("model/mlp.py", 77, "forward"),
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 896.00 MiB (GPU {local}; 79.15 GiB total capacity; 75.02 GiB already allocated; 410.19 MiB free; 77.40 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.",
      ],
    ],
  },
  "host-oom-kill": {
    label: "oom",
    by: "kernel",
    others: "time-out",
    told: "silence",
    said: [
      [
        "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=cri-containerd,mems_allowed=0-1,oom_memcg=/kubepods/burstable,task_memcg=/kubepods/burstable/pod7,task=python,pid={pid},uid=0",
        "Memory cgroup out of memory: Killed process {pid} (python) total-vm:412345678kB, anon-rss:98304000kB, file-rss:71232kB, shmem-rss:1048576kB, UID:0 pgtables:201344kB oom_score_adj:987",
      ],
    ],
  },
  exception: {
    label: "other",
    by: "rank",
    others: "time-out",
    told: "printed",
    said: [
      [TRACEBACK, frame("data.py", 88, "__next__"), "    return self.rows[index]", "KeyError: 'input_ids'"],
      [
        TRACEBACK,
        frame("callbacks.py", 31, "on_step_end"),
        "    rate = done / (now - self.started)",
        "ZeroDivisionError: float division by zero",
      ],
      [
        TRACEBACK,
        frame("metrics.py", 140, "flush"),
        "    self.writer.add(row.mean_length)",
        "AttributeError: 'NoneType' object has no attribute 'mean_length'",
      ],
    ],
  },
  "data-loader": {
    label: "other",
    by: "rank",
    others: "time-out",
    told: "printed",
    said: [
      [
        TRACEBACK,
        frame("pretrain.py", 355, "train"),
        "    batch = next(batches)",
        "ValueError: Caught ValueError in DataLoader worker process 3.",
        "Original Traceback (most recent call last):",
        frame("tokens.py", 61, "pack"),
        "ValueError: sample 90211 holds 0 tokens",
      ],
    ],
  },
  "gpu-off-bus": {
    label: "other",
    by: "kernel",
    others: "time-out",
    told: "silence",
    said: [["NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."]],
  },
  ecc: {
    label: "other",
    by: "rank",
    others: "time-out",
    told: "printed",
    said: [
      [
        TRACEBACK,
        frame("pretrain.py", 398, "train_step"),
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
      ],
    ],
  },
  "illegal-access": {
    label: "other",
    by: "rank",
    others: "time-out",
    told: "printed",
    said: [
      [
        TRACEBACK,
        frame("pretrain.py", 398, "train_step"),
        "RuntimeError: CUDA error: an illegal memory access was encountered",
      ],
      [
        TRACEBACK,
        frame("kernels/rotary.py", 52, "forward"),
        "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
      ],
    ],
  },
  "load-error": {
    label: "checkpoint-mismatch",
    by: "rank",
    others: "time-out",
    told: "printed",
    said: [
      [
        TRACEBACK,
        frame("checkpoint.py", 51, "load"),
        "RuntimeError: Error(s) in loading state_dict for GPTModel:",
        "\tsize mismatch for output_layer.weight: copying a param with shape torch.Size([32128, 4096]) from checkpoint, the shape in current model is torch.Size([32256, 4096]).",
      ],
    ],
  },
  "nan-assert": {
    label: "loss-spike",
    by: "rank",
    others: "time-out",
    told: "printed",
    said: [
      [
        TRACEBACK,
        frame("pretrain.py", 377, "train_step"),
        "AssertionError: Rank {rank}: found NaN in local forward loss calculation. Device: {local}, node: {host}",
      ],
    ],
  },
  "disk-full": {
    label: "other",
    by: "rank",
    others: "time-out",
    told: "printed",
    said: [[TRACEBACK, frame("checkpoint.py", 93, "save"), "OSError: [Errno 28] No space left on device"]],
  },
  "stale-handle": {
    label: "other",
    by: "rank",
    others: "time-out",
    told: "printed",
    said: [
      [
        TRACEBACK,
        frame("tokens.py", 29, "open_shard"),
        "OSError: [Errno 116] Stale file handle: '/mnt/shared/tokens/shard_0412.bin'",
      ],
    ],
  },
  "link-down": {
    label: "nccl-timeout",
    by: "rank",
    others: "closed",
    told: "no",
    said: [
      [
        "{host}:{pid}:{pid} [{local}] transport/net_ib.cc:1298 NCCL WARN NET/IB : Got completion from peer 10.14.3.27<42211> with status=12 opcode=0 len=0 vendor err 129 (Send) localGid fe80::1 remoteGids fe80::2 hca mlx5_4",
      ],
    ],
  },
  "silent-rank": { label: "nccl-timeout", by: "nobody", others: "time-out", told: "silence", said: [[]] },
  "late-in-group": { label: "nccl-timeout", by: "nobody", others: "time-out", told: "printed", said: [[]] },
  "size-desync": { label: "nccl-timeout", by: "nobody", others: "time-out", told: "printed", said: [[]] },
  "all-wait": { label: "nccl-timeout", by: "nobody", others: "time-out", told: "no", said: [[]] },
  preempted: {
    label: "other",
    by: "launcher",
    others: "stopped",
    told: "no",
    said: [["slurmstepd: error: *** STEP 48213.0 ON {host} CANCELLED AT {time} DUE TO PREEMPTION ***"]],
  },
  killed: {
    label: "other",
    by: "launcher",
    others: "time-out",
    told: "printed",
    said: [block("-9", "Signal 9 (SIGKILL) received by PID {pid}")],
  },
  segfault: {
    label: "other",
    by: "launcher",
    others: "time-out",
    told: "printed",
    said: [block("-11", "Signal 11 (SIGSEGV) received by PID {pid}")],
  },
  healthy: { label: "none", by: "nobody", others: "fine", told: "no", said: [[]] },
} satisfies Record<string, FaultKind>;

export type Fault = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as Fault[];

/** Lines of no importance, as busy clusters print them. */
export const NOISE: readonly string[] = [
  "/usr/lib/python3.11/site-packages/torch/utils/checkpoint.py:91: UserWarning: None of the inputs have requires_grad=True. Gradients will be None",
  "FutureWarning: `torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cuda', args...)` instead.",
  "INFO dataloader: shard 118 of 4096 opened, 16 prefetched",
  "INFO ckpt: async save of step 1000 finished in 41.2 s",
  "WARNING metrics: could not reach the tracking server, will retry in 30 s",
  "INFO gc: collected 1842 objects in 0.21 s",
  "node: NCCL INFO Channel 03/0 : 3[3] -> 11[3] [send] via NET/IB/3/GDRDMA",
  "[W socket.cpp:663] [c10d] The client socket has failed to connect to [node-000]:29500 (errno: 99 - Cannot assign requested address).",
  "WARNING storage: GET of shard 77 failed (ConnectionResetError: [Errno 104] Connection reset by peer), attempt 1 of 5",
  "WARNING data: 3 samples dropped: longer than 8192 tokens",
  "[W1204 10:01:22.100000000 ProcessGroupNCCL.cpp:4115] [PG ID 0 PG GUID 0 Rank 0]  using GPU 0 as device used by this process is currently unknown. This can potentially cause a hang if this rank to GPU mapping is incorrect.",
  "INFO eval: skipped, next at step 2000",
];
