// Which global rank a node's local rank or GPU index is, where the text itself says it: torchrun's blocks, NCCL's init lines.
// Without that a local number stays one: the culprit is not guessed.
import type { Line } from "./lines.ts";

export interface Nodes {
  look(line: Line): void;
  /** Undefined where the text does not say it, or says two things. */
  globalRank(line: Line, local: number): number | undefined;
  /** Is this the name of whoever gathered the lines, and not of where they were printed? */
  isCollector(host: string): boolean;
}

const BLOCK_HOST = /^\s*host\s*: ([\w.-]+)/;
const BLOCK_RANK = /^\s*rank\s*: (\d{1,6}) \(local_rank: (\d{1,3})\)/;
const NCCL_RANK = /\brank (\d{1,6}) n[rR]anks (\d{1,6}).{0,60}cudaDev (\d{1,2})\b/;
const BOTH = /\b(?:global[_ ])?rank[ =:]{1,3}(\d{1,6}),? .{0,20}\blocal[_ ]rank[ =:]{1,3}(\d{1,3})\b/i;

/** "host gpu-7 rank 12 of 64": a rank tells where it runs. */
const AT_HOME = /\bhost(?:name)?[ =:]{1,2}((?=[\w.-]*\d)[A-Za-z][\w.-]{0,62}),? (?:global[ _])?rank[ =:]{1,2}\d{1,6}\b/;

const MOST = 4_096;

export function createNodes(): Nodes {
  /** First global rank of each host; null where lines contradict each other. */
  const offsets = new Map<string, number | null>();
  const collectors = new Set<string>();
  let block: { source: number; host: string } | null = null;

  /** The same by the largest communicator, which is the whole job's where it has eight ranks or all of one node. */
  const communicator = new Map<string, number | null>();
  let largest = 0;

  function noteIn(map: Map<string, number | null>, host: string, offset: number): void {
    if (offset < 0) return;
    const known = map.get(host);
    if (known === undefined && map.size < MOST) map.set(host, offset);
    else if (known !== offset) map.set(host, null);
  }

  function offsetOf(host: string): number | null | undefined {
    const told = offsets.get(host);
    return told === undefined && (largest >= 8 || communicator.size === 1) ? communicator.get(host) : told;
  }

  return {
    look(line) {
      const text = line.text.length > 400 ? line.text.slice(0, 400) : line.text;
      if (!/host|rank/i.test(text)) return;
      const host = BLOCK_HOST.exec(text)?.[1];
      if (host) {
        block = { source: line.source, host };
        return;
      }
      const home = line.host === null ? undefined : AT_HOME.exec(text)?.[1];
      if (home && line.host && shortHost(home) !== shortHost(line.host) && collectors.size < MOST)
        collectors.add(line.host);
      const ranked = BLOCK_RANK.exec(text) ?? BOTH.exec(text);
      if (ranked) {
        const of = line.host ?? (block?.source === line.source ? block.host : "");
        noteIn(offsets, of, Number(ranked[1]) - Number(ranked[2]));
      }
      const nccl = NCCL_RANK.exec(text);
      // A communicator of a group numbers its own ranks; only the whole job's counts, and that is the largest.
      if (nccl && line.host && Number(nccl[2]) > Number(nccl[3]) && Number(nccl[1]) >= Number(nccl[3])) {
        const size = Number(nccl[2]);
        if (size > largest) {
          largest = size;
          communicator.clear();
        }
        if (size === largest) noteIn(communicator, line.host, Number(nccl[1]) - Number(nccl[3]));
      }
    },
    globalRank(line, local) {
      const own = line.host === null ? undefined : offsetOf(line.host);
      if (own !== undefined) return own === null ? undefined : own + local;
      if (line.host !== null || offsets.size !== 1) return undefined;
      const only = [...offsets.values()][0];
      return only === null || only === undefined ? undefined : only + local;
    },
    isCollector: (host) => collectors.has(host),
  };
}

/** Without its domain; an address stays whole. */
export function shortHost(host: string): string {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) ? host : (host.split(".")[0] ?? host);
}
