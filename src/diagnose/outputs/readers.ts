// Every output reader there is, the more particular of two alike first. A reader that is not listed here does not exist.
import { diskSpace } from "./disk-space.ts";
import { hostMemory } from "./host-memory.ts";
import { memorySnapshot } from "./memory-snapshot.ts";
import { memorySummary } from "./memory-summary.ts";
import type { OutputReader } from "./output-reader.ts";

export const OUTPUT_READERS: readonly OutputReader[] = [hostMemory, diskSpace, memorySummary, memorySnapshot];
