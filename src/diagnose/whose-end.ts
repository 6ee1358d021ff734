// Which of the endings that launchers tell is the end of the process that is meant.
import type { Ending } from "./launcher.ts";
import type { Line } from "./lines.ts";

export interface Who {
  rank: number | null;
  localRank: number | null;
  host: string | null;
  pid: number | null;
  line: Line | null;
}

/** The endings of the process that is meant; or, where none can be put to it, those that could be. */
export function endingsOf(endings: readonly Ending[], who: Who): { same: Ending[]; maybe: Ending[] } {
  const same: Ending[] = [];
  const maybe: Ending[] = [];
  for (const ending of endings) {
    const is = isSame(ending, who);
    if (is === true) same.push(ending);
    else if (is === undefined) maybe.push(ending);
  }
  return { same, maybe };
}

function isSame(ending: Ending, who: Who): boolean | undefined {
  if (who.line && ending.lines.some((line) => line.source === who.line?.source && line.line === who.line.line))
    return true;
  if (ending.pid !== null && ending.pid === who.pid) return true;
  if (ending.rank !== null && who.rank !== null) return ending.rank === who.rank;
  if (ending.host !== null && who.host !== null && shortHost(ending.host) !== shortHost(who.host)) return false;
  if (ending.tasks.length > 0) {
    if (who.rank !== null && ending.tasks.length === 1 && ending.tasks[0] === who.rank) return true;
    return who.host !== null && ending.host !== null ? true : undefined;
  }
  if (ending.localRank !== null && who.localRank !== null) return ending.localRank === who.localRank;
  if (ending.localRank !== null && who.rank !== null) {
    // Eight to a node where nothing says otherwise: enough to tell which entry is meant, never to name a rank.
    if (who.rank < 8) return ending.localRank === who.rank;
    return who.rank % 8 === ending.localRank ? true : undefined;
  }
  return undefined;
}

function shortHost(host: string): string {
  return host.split(".")[0] ?? host;
}
