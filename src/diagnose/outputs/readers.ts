// Every output reader there is, the more particular of two alike first. A reader that is not listed here does not exist.
import { checkpointFiles } from "./checkpoint-files.ts";
import { dcpMetadata } from "./dcp-metadata.ts";
import { deepspeedConfig } from "./deepspeed-config.ts";
import { diskSpace } from "./disk-space.ts";
import { hostMemory } from "./host-memory.ts";
import { launchCommand } from "./launch-command.ts";
import { megatronArgs } from "./megatron-args.ts";
import { memorySnapshot } from "./memory-snapshot.ts";
import { memorySummary } from "./memory-summary.ts";
import type { OutputReader } from "./output-reader.ts";
import { safetensorsIndex } from "./safetensors-index.ts";
import { shapePairs } from "./shape-pairs.ts";

export const OUTPUT_READERS: readonly OutputReader[] = [
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
];
