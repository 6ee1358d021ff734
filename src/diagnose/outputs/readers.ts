// Every output reader there is, the more particular of two alike first. A reader that is not listed here does not exist.
import { checkpointFiles } from "./checkpoint-files.ts";
import { dcgmDiag } from "./dcgm-diag.ts";
import { dcpMetadata } from "./dcp-metadata.ts";
import { deepspeedConfig } from "./deepspeed-config.ts";
import { diskSpace } from "./disk-space.ts";
import { expertTokens } from "./expert-tokens.ts";
import { flightRecorder } from "./flight-recorder.ts";
import { gpuQuery } from "./gpu-query.ts";
import { gpuTopo } from "./gpu-topo.ts";
import { groupTimes } from "./group-times.ts";
import { hostMemory } from "./host-memory.ts";
import { ibPort } from "./ib-port.ts";
import { kernelLog } from "./kernel-log.ts";
import { kubePod } from "./kube-pod.ts";
import { launchCommand } from "./launch-command.ts";
import { lossSeries } from "./loss-series.ts";
import { megatronArgs } from "./megatron-args.ts";
import { memorySnapshot } from "./memory-snapshot.ts";
import { memorySummary } from "./memory-summary.ts";
import { mfu } from "./mfu.ts";
import { ncclRas } from "./nccl-ras.ts";
import { ncclTests } from "./nccl-tests.ts";
import { nvidiaSmi } from "./nvidia-smi.ts";
import { nvlink } from "./nvlink.ts";
import type { OutputReader } from "./output-reader.ts";
import { portCounters } from "./port-counters.ts";
import { pySpy } from "./py-spy.ts";
import { safetensorsIndex } from "./safetensors-index.ts";
import { shapePairs } from "./shape-pairs.ts";
import { slurmJobs } from "./slurm-jobs.ts";

export const OUTPUT_READERS: readonly OutputReader[] = [
  nvlink,
  gpuQuery,
  dcgmDiag,
  gpuTopo,
  nvidiaSmi,
  slurmJobs,
  kubePod,
  hostMemory,
  diskSpace,
  memorySummary,
  memorySnapshot,
  dcpMetadata,
  safetensorsIndex,
  checkpointFiles,
  shapePairs,
  deepspeedConfig,
  megatronArgs,
  launchCommand,
  ncclTests,
  ncclRas,
  flightRecorder,
  pySpy,
  ibPort,
  portCounters,
  kernelLog,
  groupTimes,
  expertTokens,
  mfu,
  lossSeries,
];
