// What the ranks that wait print when they give up, in the words of several torch releases.
import { glogTime, type NodeClock } from "./dress.ts";

export type Torch = "2.1" | "2.3" | "2.5" | "2.7";

export interface Group {
  id: number;
  guid: string;
  name: string;
  /** Global ranks in it, in order. */
  ranks: readonly number[];
}

export interface Wait {
  rank: number;
  group: Group;
  op: string;
  seq: number;
  enqueued: number;
  completed: number;
  numel: number;
  timeoutMs: number;
}

const FILE = "ProcessGroupNCCL.cpp";

/** Every line with its own prefix: launchers add theirs in front. */
export function timedOut(torch: Torch, clock: NodeClock, at: number, wait: Wait): string[] {
  const head = (line: number): string => prefix(torch, clock, at, wait.rank, line);
  const own = wait.group.ranks.indexOf(wait.rank);
  const sizes = torch === "2.1" ? "" : `NumelIn=${wait.numel}, NumelOut=${wait.numel}, `;
  const work = `WorkNCCL(SeqNum=${wait.seq}, OpType=${wait.op}, ${sizes}Timeout(ms)=${wait.timeoutMs})`;
  const lines = [
    `${head(561)} [Rank ${own}] Watchdog caught collective operation timeout: ${work} ran for ${wait.timeoutMs + 41} milliseconds before timing out.`,
  ];
  if (torch === "2.7")
    lines.push(
      `${head(2270)} ${groupOf(torch, wait.group, own)}  failure detected by watchdog at work sequence id: ${wait.seq} PG status: last enqueued work: ${wait.enqueued}, last completed work: ${wait.completed}`,
    );
  else if (torch !== "2.1")
    lines.push(
      `${head(1537)} ${groupOf(torch, wait.group, own)} Timeout at NCCL work: ${wait.seq}, last enqueued NCCL work: ${wait.enqueued}, last completed NCCL work: ${wait.completed}.`,
    );
  lines.push(
    `${head(681)} Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.`,
    `${head(687)} To avoid data inconsistency, we are taking the entire process down.`,
  );
  return lines;
}

/** A rank that did not wait is told by one that did. */
export function toldToDump(clock: NodeClock, at: number, wait: Wait, from: number): string {
  const own = wait.group.ranks.indexOf(wait.rank);
  return `${prefix("2.5", clock, at, wait.rank, 1542)} ${groupOf("2.5", wait.group, own)} Received a dump signal due to a collective timeout from  rank ${from} and we will try our best to dump the debug info. Last enqueued NCCL work: ${wait.enqueued}, last completed NCCL work: ${wait.completed}.This is most likely caused by incorrect usages of collectives, e.g., wrong sizes used across ranks, the order of collectives is not same for all ranks or the scheduled collective, for some reason, didn't run.`;
}

function prefix(torch: Torch, clock: NodeClock, at: number, rank: number, line: number): string {
  if (torch === "2.1") return `[E ${FILE}:${line}]`;
  if (torch === "2.3") return `[rank${rank}]:[E ${FILE}:${line}]`;
  return `[rank${rank}]:[E${glogTime(clock, at)} ${FILE}:${line}]`;
}

function groupOf(torch: Torch, group: Group, own: number): string {
  if (torch === "2.3") return `[PG ${group.id} Rank ${own}]`;
  return `[PG ID ${group.id} PG GUID ${group.guid}(${group.name}) Rank ${own}]`;
}
