// Lines of every family of formats, and the facts that stand in them. A row is a format, not a case.
import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { rules } from "./rules.ts";

type Value = number | string | (number | string)[];

function factsOf(lines: string | string[], names: readonly string[]): Record<string, unknown> {
  const { facts } = diagnose([lines].flat().join("\n"), rules);
  return Object.fromEntries(names.map((name) => [name, facts[name]?.value]));
}

const OOM =
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 5 has a total capacity of 79.11 GiB of which 1.50 GiB is free.";

const FAMILIES: Record<string, [string, string | string[], Record<string, Value>][]> = {
  "whose training lines these are": [
    [
      "Megatron-LM's iteration line",
      [
        " iteration     1200/   50000 | consumed samples:      2457600 | elapsed time per iteration (ms): 9512.3 | learning rate: 2.2E-04 | global batch size:  2048 | lm loss: 2.345678E+00 | loss scale: 1.0 | grad norm: 0.412 |",
        OOM,
      ],
      { framework: "megatron" },
    ],
    [
      "TorchTitan's",
      [
        "step: 50  loss:  8.0234  grad_norm:  1.4012  memory: 58.31GiB(73.71%)  tps: 6,119  tflops: 148.20  mfu: 14.98%",
        OOM,
      ],
      { framework: "torchtitan" },
    ],
    [
      "the HF Trainer's",
      ["{'loss': '3.553', 'grad_norm': '1.41', 'learning_rate': '2e-06', 'epoch': '0.01'}", OOM],
      { framework: "hf" },
    ],
    [
      "NeMo's",
      [
        "Training epoch 0, iteration 212/5999 | lr: 6.4e-05 | global_step: 212 | reduced_train_loss: 2.11 | train_step_timing in s: 0.97",
        OOM,
      ],
      { framework: "nemo" },
    ],
  ],
  "how a process ended": [
    [
      "torchrun's line, torch 2.0",
      "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 3 (pid: 4242) of binary: /usr/bin/python3",
      { exitcode: -9, signal: 9, local_rank: 3, pid: 4242 },
    ],
    [
      "torchrun's line, torch 2.6",
      "E0811 09:31:42.904000 150486 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -11) local_rank: 6 (pid: 150599) of binary: /opt/py/bin/python",
      { exitcode: -11, local_rank: 6, pid: 150599 },
    ],
    [
      "torchrun's block: the entry of the culprit's rank, not the root cause it names",
      [
        `[rank13]: ${OOM}`,
        "train.py FAILED",
        "Failures:",
        "[1]:",
        "  time      : 2026-01-02_03:04:05",
        "  host      : node-01",
        "  rank      : 13 (local_rank: 5)",
        "  exitcode  : 1 (pid: 811)",
        "  error_file: <N/A>",
        "Root Cause (first observed failure):",
        "[0]:",
        "  time      : 2026-01-02_03:04:01",
        "  host      : node-01",
        "  rank      : 9 (local_rank: 1)",
        "  exitcode  : -6 (pid: 807)",
      ],
      { rank: 13, exitcode: 1, host: "node-01", local_rank: 5, pid: 811 },
    ],
    [
      "a killed process has no other line than its entry",
      [
        "E0811 09:31:42.904000 150486 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -9) local_rank: 2 (pid: 55) of binary: /usr/bin/python",
        "[0]:",
        "  host      : cn-7",
        "  rank      : 18 (local_rank: 2)",
        "  exitcode  : -9 (pid: 55)",
        "  traceback : Signal 9 (SIGKILL) received by PID 55",
      ],
      { rank: 18, host: "cn-7", exitcode: -9, signal: 9, local_rank: 2 },
    ],
    [
      "DeepSpeed's launcher",
      [
        `[rank3]: ${OOM}`,
        "[2026-02-19 21:48:15,611] [ERROR] [launch.py:321:sigkill_handler] ['/opt/py/bin/python', '-u', 'train.py', '--local_rank=3'] exits with return code = 1",
      ],
      { exitcode: 1, local_rank: 3 },
    ],
    [
      "DeepSpeed's launcher, without the rank",
      [
        "[E ProcessGroupNCCL.cpp:467] [Rank 6] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800371 milliseconds before timing out.",
        "[2026-02-03 04:12:41,804] [ERROR] [launch.py:322:sigkill_handler] ['python', '-u', 't.py', '--local_rank=7'] exits with return code = -6",
      ],
      { exitcode: -6, reporting_ranks: [6] },
    ],
    [
      "srun, one task a rank",
      [`12: ${OOM}`, "srun: error: node-014: task 12: Exited with exit code 1"],
      { rank: 12, host: "node-014", exitcode: 1 },
    ],
    [
      "srun, a signal",
      ["7: Fatal Python error: Segmentation fault", "srun: error: cn-3: task 7: Segmentation fault (core dumped)"],
      { rank: 7, host: "cn-3", signal: 11 },
    ],
    [
      "mpirun, a signal",
      "mpirun noticed that process rank 5 with PID 31337 on node gpu-9 exited on signal 9 (Killed).",
      { rank: 5, pid: 31337, host: "gpu-9", signal: 9 },
    ],
    [
      "mpirun, an exit code",
      [
        `[1,4]<stderr>: ${OOM}`,
        "mpirun detected that one or more processes exited with non-zero status, thus causing",
        "the job to be terminated. The first process to do so was:",
        "  Process name: [[38133,1],4]",
        "  Exit code:    1",
      ],
      { rank: 4, exitcode: 1 },
    ],
    [
      "Composer",
      [`[rank2]: ${OOM}`, "ERROR:composer.cli.launcher:Global rank 2 (PID 91) exited with code 1"],
      { rank: 2, pid: 91, exitcode: 1 },
    ],
    [
      "Paddle",
      [
        "LAUNCH ERROR 2026-03-30 22:41:07,120 Container failed !!!",
        "Container rank 5 status failed cmd ['/opt/py/bin/python', '-u', 'train.py'] code -9 log log/workerlog.5",
        "LAUNCH INFO 2026-03-30 22:41:09,611 Exit code -9",
      ],
      { local_rank: 5, exitcode: -9, signal: 9 },
    ],
    [
      "a wrapper of one process: its prefix is the rank of the dead",
      [
        "1: process exited with exit code 137",
        "0: ValueError: UNKNOWN: Gloo AllGather failed",
        "2: process exited with exit code 134",
      ],
      { rank: 1, exitcode: 137, signal: 9 },
    ],
    [
      "Kubernetes",
      ["    Last State:     Terminated", "      Reason:       OOMKilled", "      Exit Code:    137"],
      { exitcode: 137 },
    ],
    [
      "a shell",
      "/opt/entry.sh: line 31:    47 Killed                  torchrun --nproc_per_node 8 train.py",
      { signal: 9, pid: 47 },
    ],
    [
      "spawned processes",
      [
        "step: 41  loss:  2.0418  grad_norm:  0.2214",
        `[rank3]: ${OOM}`,
        "torch.multiprocessing.spawn.ProcessExitedException: process 3 terminated with signal SIGABRT",
      ],
      { signal: 6, local_rank: 3, rank: 3 },
    ],
    [
      "a signal to the agent",
      [
        "slurmstepd: error: *** STEP 77120.0 ON node-011 CANCELLED AT 2026-11-18T02:12:09 DUE TO PREEMPTION ***",
        "W0621 02:41:07.771000 40120 torch/distributed/elastic/agent/server/api.py:719] Received 15 death signal, shutting down workers",
      ],
      { signal: 15, job: "77120" },
    ],
    [
      "a job's number",
      "slurmstepd: error: *** JOB 77120 ON node-011 CANCELLED AT 2026-11-18T02:12:09 DUE TO TIME LIMIT ***",
      { job: "77120", host: "node-011" },
    ],
  ],

  "who timed out": [
    [
      "torch 1.12: no sequence number",
      "[E ProcessGroupNCCL.cpp:587] [Rank 14] Watchdog caught collective operation timeout: WorkNCCL(OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800834 milliseconds before timing out.",
      { collective: "ALLREDUCE", timeout_ms: 1800000, reporting_ranks: [14] },
    ],
    [
      "torch 2.0",
      "[E ProcessGroupNCCL.cpp:828] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=912, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800119 milliseconds before timing out.",
      { seq: 912, reporting_ranks: [3] },
    ],
    [
      "torch 2.1 with a tensor's shape",
      "[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=BROADCAST, TensorShape=[1024], Timeout(ms)=600000) ran for 600884 milliseconds before timing out.",
      { seq: 5, collective: "BROADCAST", timeout_ms: 600000 },
    ],
    [
      "torch 2.3: the rank in front is global, the one inside is the group's",
      [
        "[rank13]:[E ProcessGroupNCCL.cpp:523] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=406, OpType=ALLTOALL_BASE, NumelIn=4096, NumelOut=8192, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.",
        "[rank13]:[E ProcessGroupNCCL.cpp:537] [PG 4 Rank 1] Timeout at NCCL work: 406, last enqueued NCCL work: 410, last completed NCCL work: 405.",
      ],
      {
        seq: 406,
        numel_in: 4096,
        numel_out: 8192,
        reporting_ranks: [13],
        group_rank: 1,
        pg_id: 4,
        last_enqueued: 410,
        last_completed: 405,
      },
    ],
    [
      "torch 2.5",
      [
        "[rank9]:[E1106 19:41:08.657077176 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=312, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.",
        "[rank9]:[E1106 19:41:08.657077176 ProcessGroupNCCL.cpp:1795] [PG ID 11 PG GUID 116 Rank 1] Exception (either an error or timeout) detected by watchdog at work: 312, last enqueued NCCL work: 320, last completed NCCL work: 311.",
      ],
      { pg_id: 11, pg_guid: "116", group_rank: 1, seq: 312, last_enqueued: 320, last_completed: 311 },
    ],
    [
      "torch 2.6 and later",
      "[rank4]:[E311 09:41:20.302411192 ProcessGroupNCCL.cpp:2271] [PG ID 13 PG GUID 107(EXPERT_MODEL_PARALLEL_GROUP) Rank 4]  failure detected by watchdog at work sequence id: 88 PG status: last enqueued work: 90, last completed work: 87",
      {
        process_group: "EXPERT_MODEL_PARALLEL_GROUP",
        pg_id: 13,
        pg_guid: "107",
        group_rank: 4,
        seq: 88,
        last_enqueued: 90,
        last_completed: 87,
      },
    ],
    [
      "a heartbeat",
      "[rank4]:[F311 09:41:20.302411192 ProcessGroupNCCL.cpp:1870] [PG ID 13 PG GUID 107(mesh_ep) Rank 4] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives.",
      { heartbeat_s: 480, process_group: "mesh_ep", pg_id: 13, pg_guid: "107" },
    ],
    [
      "a local rank in front",
      [
        "[default1]:[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600921 milliseconds before timing out.",
        "[default2]:[E ProcessGroupNCCL.cpp:475] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600884 milliseconds before timing out.",
        "[default3]:[E ProcessGroupNCCL.cpp:475] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600890 milliseconds before timing out.",
      ],
      { reporting_ranks: [1, 2, 3], suspect_ranks: [0], rank: 0 },
    ],
    [
      "another size on one rank",
      [1, 2, 3, 0].map(
        (rank) =>
          `[rank${rank}]:[E220 03:22:05.327650831 ProcessGroupNCCL.cpp:629] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=21, OpType=_ALLGATHER_BASE, NumelIn=${rank === 0 ? 4096 : 1835008}, NumelOut=14680064, Timeout(ms)=600000) ran for 600001 milliseconds before timing out.`,
      ),
      { rank: 0, suspect_ranks: [0], numel_in: 4096, seq: 21 },
    ],
    [
      "a rank that was told, and never came",
      [
        ...[1, 2, 3].map(
          (rank) =>
            `[rank${rank}]:[E220 03:22:05.327650831 ProcessGroupNCCL.cpp:629] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=21, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001 milliseconds before timing out.`,
        ),
        "[rank0]:[E220 03:22:06.096875976 ProcessGroupNCCL.cpp:1890] [PG ID 0 PG GUID 0(default_pg) Rank 0] Received a dump signal due to a collective timeout from  rank 2 and we will try our best to dump the debug info. Last enqueued NCCL work: 20, last completed NCCL work: 20.This is most likely caused by incorrect usages of collectives",
      ],
      { reporting_ranks: [1, 2, 3], rank: 0, suspect_ranks: [0] },
    ],
    [
      "a monitored barrier names who is missing",
      "RuntimeError: [Rank 0]: Rank 2 failed to pass monitoredBarrier in 30000 ms",
      { suspect_ranks: [2], timeout_ms: 30000 },
    ],
    [
      "a completion error up to NCCL 2.19",
      "gpu-b-07:1126:1588 [4] NCCL WARN NET/IB : Got completion from peer 10.0.4.7<51234> with error 12, opcode 1, len 0, vendor err 129",
      { ib_status: 12, vendor_err: 129, host: "gpu-b-07", pid: 1126, gpu: 4 },
    ],
    [
      "a completion error of NCCL 2.23",
      "gpu-b-07:1126:1588 [4] ib_plugin.c:1615 NCCL WARN NET/IB : Got completion from peer 10.14.77.31<51733> with status=12 opcode=129 len=65536 vendor err 129 (Recv) localGid ::1 remoteGids ::2 hca mlx5_4",
      { ib_status: 12, vendor_err: 129, hca: "mlx5_4", host: "gpu-b-07" },
    ],
    [
      "a completion error of NCCL 2.30",
      "[2026-07-01 10:00:00] h-3:9:10 [2] transport/net_ib.cc:2000 (ncclIbTest) NCCL WARN NET/IB: Got completion from peer 10.0.0.7<51234> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_RDMA_WRITE(1) vendor_err=129  hca mlx5_0",
      { ib_status: 12, vendor_err: 129, hca: "mlx5_0", host: "h-3" },
    ],
    [
      "NCCL's version",
      "[rank2]: torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:77, remote process exited or there was a network error, NCCL version 2.26.2",
      { nccl_version: "2.26.2", error: "DistBackendError" },
    ],
  ],

  "who timed out, elsewhere": [
    [
      "Horovod",
      [
        "[1,0]<stderr>:[2026-02-08 12:11:09.331220: W horovod/common/stall_inspector.cc:107] One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds.",
        "[1,0]<stderr>:Missing ranks:",
        "[1,0]<stderr>:3: [DistributedOptimizer_Allreduce/grad_17]",
        "[1,0]<stderr>:5: [DistributedOptimizer_Allreduce/grad_17]",
      ],
      { suspect_ranks: [3, 5] },
    ],
    [
      "Ascend",
      "EI0002: [PID: 29690] The wait execution of the Notify register times out. Reason: The Notify register has not received the Notify record from remote rank [8].",
      { suspect_ranks: [8], host: undefined as unknown as Value },
    ],
    [
      "the flight recorder",
      [
        "Not all ranks joining collective, sequence number: 2",
        "group info: 3:EXPERT_MODEL_PARALLEL_GROUP",
        "collective: nccl:all_to_all",
        "missing ranks: {2, 5}",
      ],
      { seq: 2, process_group: "EXPERT_MODEL_PARALLEL_GROUP", suspect_ranks: [2, 5] },
    ],
    [
      "a dead peer, and nothing else",
      "gpu-1:5:6 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer gpu-e-01<49210>",
      { host: "gpu-1", pid: 5 },
    ],
    [
      "a rendezvous",
      "torch.distributed.DistNetworkError: The client socket has timed out after 900s while trying to connect to (10.31.7.2, 29500).",
      { ip: "10.31.7.2", port: 29500, error: "DistNetworkError" },
    ],
  ],

  "what memory ran out": [
    [
      "torch 1.12",
      "RuntimeError: CUDA out of memory. Tried to allocate 1.60 GiB (GPU 6; 39.59 GiB total capacity; 36.04 GiB already allocated; 1.21 GiB free; 36.49 GiB reserved in total by PyTorch)",
      {
        tried_alloc_gib: 1.6,
        gpu: 6,
        gpu_total_gib: 39.59,
        allocated_gib: 36.04,
        free_gib: 1.21,
        reserved_gib: 36.49,
        error: "RuntimeError",
      },
    ],
    [
      "torch 2.1 to 2.4",
      "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 688.00 MiB. GPU 1 has a total capacty of 22.04 GiB of which 311.12 MiB is free. Process 18277 has 21.73 GiB memory in use. Of the allocated memory 18.90 GiB is allocated by PyTorch, and 1.58 GiB is reserved by PyTorch but unallocated.",
      {
        tried_alloc_mib: 688,
        gpu: 1,
        gpu_total_gib: 22.04,
        free_mib: 311.12,
        process_in_use_gib: 21.73,
        allocated_gib: 18.9,
        reserved_unalloc_gib: 1.58,
        error: "OutOfMemoryError",
      },
    ],
    [
      "torch 2.5 and later",
      "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.38 GiB. GPU 0 has a total capacity of 79.11 GiB of which 921.00 MiB is free. Including non-PyTorch memory, this process has 78.20 GiB memory in use. Of the allocated memory 74.00 GiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated.",
      { rank: 0, tried_alloc_gib: 1.38, process_in_use_gib: 78.2, allocated_gib: 74, reserved_unalloc_mib: 512 },
    ],
    [
      "ROCm",
      "RuntimeError: HIP out of memory. Tried to allocate 896.00 MiB (GPU 3; 63.98 GiB total capacity; 62.71 GiB already allocated; 664.00 MiB free; 62.75 GiB reserved in total by PyTorch)",
      { tried_alloc_mib: 896, gpu: 3, gpu_total_gib: 63.98, free_mib: 664 },
    ],
    [
      "Ascend",
      "RuntimeError: NPU out of memory. Tried to allocate 64.00 MiB (NPU 1; 60.97 GiB total capacity; 57.10 GiB already allocated; 57.10 GiB current active; 10.00 MiB free; 58.20 GiB reserved in total by PyTorch)",
      { tried_alloc_mib: 64, gpu_total_gib: 60.97, free_mib: 10 },
    ],
    ["several ranks at once", [0, 3, 5].map((rank) => `[rank${rank}]: ${OOM}`), { ranks: [0, 3, 5] }],
    [
      "where: the innermost frame",
      [
        "[rank5]: Traceback (most recent call last):",
        '[rank5]:   File "/opt/m/megatron/core/transformer/attention.py", line 10, in forward',
        '[rank5]:   File "/opt/m/megatron/core/transformer/moe/experts.py", line 20, in forward',
        `[rank5]: ${OOM}`,
      ],
      { where: "moe", rank: 5 },
    ],
    [
      "a data loader's worker",
      "RuntimeError: DataLoader worker (pid 90210) is killed by signal: Killed.",
      { pid: 90210, signal: 9 },
    ],
    [
      "the kernel",
      "[Mon Nov 18 01:37:12 2026] Memory cgroup out of memory: Killed process 31337 (python) total-vm:91234567kB, anon-rss:60123456kB, file-rss:0kB",
      { pid: 31337, signal: 9 },
    ],
    [
      "Ray's monitor",
      "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory. Memory on the node (IP: 10.0.3.4, ID: abc) where the task (task ID: x, name=f, pid=812, memory used=31.2GB) was running was 499.2GB / 503.5GB (0.991), which exceeds the memory usage threshold of 0.95.",
      { ip: "10.0.3.4", pid: 812, error: "OutOfMemoryError" },
    ],
    [
      "NCCL's warning, and the exception below it",
      [
        "dgx-03:5120:5433 [6] include/alloc.h:228 NCCL WARN Cuda failure 2 'out of memory'",
        "dgx-03:5120:5433 [6] NCCL INFO init.cc:545 -> 1",
        "[rank6]: torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:77, unhandled cuda error, NCCL version 2.26.2",
      ],
      { host: "dgx-03", pid: 5120, gpu: 6, nccl_version: "2.26.2" },
    ],
    [
      "at a prompt",
      [
        "root@vlm-worker-2:/# dmesg | tail -1",
        "[1208331.402117] Out of memory: Killed process 4242 (python) total-vm:912kB, anon-rss:601234kB",
      ],
      { host: "vlm-worker-2", pid: 4242 },
    ],
    ["errno", "OSError: [Errno 12] Cannot allocate memory", { errno: 12, error: "OSError" }],
  ],

  "where the run stood": [
    [
      "Megatron",
      [
        " iteration    18396/  120000 | consumed samples: 9418752 | elapsed time per iteration (ms): 4137.4 | lm loss: 1.955904E+00 | grad norm: 0.212 |",
        `[rank3]: ${OOM}`,
      ],
      { step: 18396 },
    ],
    [
      "torchtitan",
      ["step: 41  loss:  2.0418  grad_norm:  0.2214  memory: 61.02GiB(64.14%)", `[rank3]: ${OOM}`],
      { step: 41 },
    ],
    ["a bar", ["  3%|▎         | 274/9611 [06:26<3:40:08,  1.41s/it]", `[rank3]: ${OOM}`], { step: 274 }],
    [
      "Lightning's bar",
      ["Epoch 2:  41%|████      | 5122/12499 [1:02:11<1:29:34,  1.37it/s, v_num=3]", `[rank3]: ${OOM}`],
      { step: 5122 },
    ],
    [
      "no step is a bar of other work",
      ["Loading checkpoint shards:  40%|████      | 4/10 [00:11<00:20,  2.11s/it]", `[rank3]: ${OOM}`],
      { step: undefined as unknown as Value },
    ],
    [
      "DeepSpeed's timer",
      [
        "[2026-08-02 11:41:30,940] [INFO] [timer.py:193:stop] 130/5000, SamplesPerSec=6.08, MemAllocated=1.17GB",
        `[rank3]: ${OOM}`,
      ],
      { step: 130 },
    ],
    ["lit-gpt", ["iter 313 step 39: loss 1.8312, iter time: 2218.55ms", `[rank3]: ${OOM}`], { step: 39 }],
    ["a resume", ["  Continuing training from global step 3150", `[rank3]: ${OOM}`], { step: 3150 }],
    [
      "world size, Megatron",
      [
        "using world size: 24, data-parallel size: 3, tensor-model-parallel size: 4, pipeline-model-parallel size: 2",
        `[rank3]: ${OOM}`,
      ],
      { world_size: 24, tp: 4, pp: 2 },
    ],
    [
      "world size, Lightning",
      ["Initializing distributed: GLOBAL_RANK: 3, MEMBER: 4/16", `[rank3]: ${OOM}`],
      { world_size: 16 },
    ],
    [
      "a dump of arguments",
      [
        "  world_size ...................................... 64",
        "  tensor_model_parallel_size ...................... 8",
        `[rank3]: ${OOM}`,
      ],
      { world_size: 64, tp: 8 },
    ],
  ],

  "how the loss went": [
    [
      "NaN in a dict",
      [
        "{'loss': 2.31, 'grad_norm': 1.2, 'learning_rate': 2e-05, 'epoch': 0.1}",
        "{'loss': 2.29, 'grad_norm': 1.3, 'learning_rate': 2e-05, 'epoch': 0.1}",
        "{'loss': nan, 'grad_norm': nan, 'learning_rate': 2e-05, 'epoch': 0.1}",
      ],
      { loss_before: 2.29, grad_norm_before: 1.3 },
    ],
    [
      "MaxText",
      [811, 812, 813].map(
        (step) =>
          `completed step: ${step}, seconds: 2.411, TFLOP/s/device: 181.2, Tokens/s/device: 3391.2, total_weights: 524288, loss: ${step < 812 ? "2.876" : "nan"}`,
      ),
      { step: 812, loss_before: 2.876 },
    ],
    [
      "Megatron's check",
      "RuntimeError: Rank 12, node node-7, device 4, iteration 1201: Unexpected result nan (message='found NaN in local forward loss calculation')",
      { rank: 12, host: "node-7", gpu: 4, step: 1201 },
    ],
    [
      "words only, Chinese",
      "更新代码之后 7B 继续训, 第一个 step loss 还是 2.31, 第 4 步开始 loss 和 grad_norm 全是 nan, 退回上个版本就没这个问题",
      { loss_before: 2.31, step: 4 },
    ],
  ],

  "what the checkpoint holds": [
    [
      "a shape",
      "\tsize mismatch for model.embed_tokens.weight: copying a param with shape torch.Size([32000, 4096]) from checkpoint, the shape in current model is torch.Size([32064, 4096]).",
      { param: "model.embed_tokens.weight", ckpt_shape: [32000, 4096], model_shape: [32064, 4096] },
    ],
    [
      "a layout",
      "RuntimeError: (TP, PP) mismatch after resume ((4, 2) vs (2, 4) from checkpoint): not supported for DistributedOptimizer",
      { tp: 4, pp: 2, saved_tp: 2, saved_pp: 4 },
    ],
    [
      "an exception's short name",
      "deepspeed.runtime.zero.utils.ZeRORuntimeException: The checkpoint being loaded used a DP world size of 8 but the current world size is 4.",
      { error: "ZeRORuntimeException" },
    ],
    [
      "words only",
      "we saved with pp=4 ep=1 (torch_dist), now want to continue with pp=1 ep=4 on the same 32 gpus. weights seem to come in but it blows up while it builds the optimizer sharded state, something about shards not covering the tensor",
      { saved_pp: 4, pp: 1, saved_ep: 1, ep: 4 },
    ],
  ],

  "other faults": [
    [
      "Xid",
      "[1208331.402117] NVRM: Xid (PCI:0000:ab:00): 48, pid=210377, name=python, An uncorrectable double bit error (DBE) has been detected",
      { xid: 48, pci: "0000:ab:00", pid: 210377 },
    ],
    [
      "a rank told by the watchdog",
      [
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "[E ProcessGroupNCCL.cpp:916] [Rank 1] NCCL watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered",
      ],
      { rank: 1 },
    ],
    [
      "a full disk",
      "OSError: [Errno 28] No space left on device: '/mnt/ckpt/run42/model.bin'",
      { errno: 28, path: "/mnt/ckpt/run42/model.bin", error: "OSError" },
    ],
    [
      "Ray names the worker",
      [
        "(main_task pid=81120) ray::WorkerDict.generate() (pid=84410, ip=10.65.12.9, actor_id=1f46, repr=<x>)",
        '(main_task pid=81120)   File "/srv/v/worker.py", line 9, in generate',
        "(main_task pid=81120) KeyError: 'lm_head'",
      ],
      { pid: 84410, ip: "10.65.12.9", error: "KeyError" },
    ],
    [
      "an exception in a rank",
      [
        "[rank13]: Traceback (most recent call last):",
        '[rank13]:   File "/w/train.py", line 5, in main',
        "[rank13]: AssertionError: batch 12 is empty",
      ],
      { rank: 13, error: "AssertionError", message: "batch 12 is empty" },
    ],
  ],
};

describe("facts", () => {
  for (const [family, rows] of Object.entries(FAMILIES)) {
    describe(family, () => {
      it.each(rows)("%s", (_, lines, expected) => {
        expect(factsOf(lines, Object.keys(expected))).toEqual(expected);
      });
    });
  }
});
