// What one answer of NCCL's RAS service says, whether it came as text or as JSON.

/** A rank of one communicator, or a process with its GPU, as far as it is named. */
export interface RasRank {
  rank: number | null;
  host: string | null;
  pid: number | null;
  gpu: number | null;
  error: string | null;
  line: number;
}

/** Ranks of a communicator that launched different numbers of one operation: those of each number. */
export interface Gap {
  /** As printed: AllGather; null before NCCL 2.26, which does not tell them apart. */
  collective: string | null;
  line: number;
  groups: { operation: number; count: number; ranks: RasRank[]; line: number }[];
}

/** A communicator of which something is wrong. */
export interface RasComm {
  /** #0-0 in text, the hash in JSON. */
  name: string;
  hash: string;
  /** How many ranks it has; null where the table with its group was not pasted. */
  size: number | null;
  line: number;
  missing: RasRank[];
  failed: RasRank[];
  gaps: Gap[];
}

export type RasTrouble = "mismatch" | "incomplete" | "error" | "dead";
/** A dead process makes the others report errors, not the other way round. */
export const WORST_FIRST: readonly RasTrouble[] = ["dead", "error", "incomplete", "mismatch"];

export interface RasReport {
  line: number;
  version: { value: string; line: number } | null;
  gpus: { value: number; line: number } | null;
  communicators: number;
  /** What is wrong, and the first line that says so. */
  troubles: Map<RasTrouble, number>;
  /** Processes that are considered dead, or do not answer yet: how many, and those that are named. */
  dead: { count: number; named: RasRank[] };
  silent: { count: number; named: RasRank[] };
  comms: RasComm[];
  /** The counts of all ranks, to see whether they move; null where only those that differ are printed. */
  counts: string | null;
  /** What of it was not pasted. */
  cut: string | null;
}

export function newReport(line: number): RasReport {
  return {
    line,
    version: null,
    gpus: null,
    communicators: 0,
    troubles: new Map(),
    dead: { count: 0, named: [] },
    silent: { count: 0, named: [] },
    comms: [],
    counts: null,
    cut: null,
  };
}

export function addTrouble(report: RasReport, trouble: RasTrouble, line: number): void {
  if (!report.troubles.has(trouble)) report.troubles.set(trouble, line);
}

/** The worst, and the line that says it. */
export function worstOf(report: RasReport): { trouble: RasTrouble; line: number } | null {
  const trouble = WORST_FIRST.find((one) => report.troubles.has(one));
  return trouble ? { trouble, line: report.troubles.get(trouble) ?? report.line } : null;
}

/** "5", or "0 (NVML 5)" where CUDA_VISIBLE_DEVICES renames it: the number that nvidia-smi shows; null for several. */
export function gpuOf(printed: string | undefined): number | null {
  const found = /^(?:\d+ \(NVML )?(\d+)\)?$/.exec(printed ?? "");
  return found ? Number(found[1]) : null;
}
