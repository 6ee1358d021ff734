// Who waited for whom: of each process group what every rank had begun and finished, and who is missing from the text.
import type { Facts } from "../facts/fact.ts";
import type { Finds, Hit } from "./finds.ts";

export interface Waiting {
  /** Global ranks that printed a time-out. */
  reporting: number[];
  /** Never began what the others of their group wait for. */
  late: number[];
  /** Began an operation that the others of their group have finished, and did not finish it. */
  unfinished: number[];
  /** Silent where all others speak. */
  missing: number[];
  /** Every rank that tells of it began the operation, and none finished it. */
  together: { ranks: number; seq: number } | null;
}

interface State {
  seq: number;
  enqueued: number;
  /** -1 where nothing was, or where it is not printed. */
  completed: number;
  groupRank: string | null;
}

/** A group's own number for a rank is the global one only in the default group, or where no group is named. */
export function reporterOf(hit: Hit): number | null {
  if (hit.line.rank !== null) return hit.line.rank;
  const group = hit.groups.process_group ?? hit.groups.process_group__2;
  const id = hit.groups.pg_id ?? hit.groups.pg_id__2;
  const isDefault = (group === undefined || group === "default_pg") && (id === undefined || id === "0");
  const printed = hit.groups.group_rank ?? hit.groups.group_rank__2 ?? hit.groups.rank;
  return isDefault && printed !== undefined ? Number(printed) : null;
}

export function whoWaits(finds: Finds, facts: Facts): Waiting {
  const reporting = reportersOf(finds);
  const groups = statesOf(finds);
  const named = facts.suspect_ranks?.value ?? facts.missing_ranks?.value;
  const late = new Set<number>(Array.isArray(named) ? named.map(Number) : []);
  const unfinished = new Set<number>();
  for (const rank of latecomers(groups)) late.add(rank);
  for (const states of groups.values()) for (const rank of stragglers(states)) unfinished.add(rank);
  // A rank that was told of the time-out, and did not join itself, does not report it.
  for (const rank of late) reporting.delete(rank);
  return {
    reporting: ranked(reporting),
    late: ranked(late),
    unfinished: ranked(unfinished).filter((rank) => !late.has(rank)),
    missing: missingFrom(reporting, finds.ranks, facts),
    together: togetherIn(groups, reporting),
  };
}

function reportersOf(finds: Finds): Set<number> {
  const reporting = new Set<number>();
  for (const { rule, hits } of finds.kept()) {
    if (rule.label !== "nccl-timeout" || rule.role !== "consequence") continue;
    for (const hit of hits) {
      // The state of a group is printed by whoever gave up, also where the line before it is cut off.
      if (rule.weight !== "strong" && groupOf(hit, "last_enqueued") === undefined) continue;
      const rank = reporterOf(hit);
      // Who was told of the time-out by another did not time out itself.
      if (rank === null || hit.line.text.includes("Received a dump signal")) continue;
      reporting.add(rank);
    }
  }
  return reporting;
}

function statesOf(finds: Finds): Map<string, Map<number, State>> {
  const groups = new Map<string, Map<number, State>>();
  for (const kept of finds.kept()) {
    for (const hit of kept.hits) {
      const rank = reporterOf(hit);
      const enqueued = groupOf(hit, "last_enqueued");
      const seq = groupOf(hit, "seq");
      if (rank === null || enqueued === undefined || seq === undefined) continue;
      // Groups of one name stand beside each other; only their GUID tells them apart.
      const key = groupOf(hit, "pg_guid") ?? `${groupOf(hit, "process_group") ?? ""}/${groupOf(hit, "pg_id") ?? ""}`;
      const states = groups.get(key) ?? new Map<number, State>();
      groups.set(key, states);
      const completed = Number(groupOf(hit, "last_completed") ?? -1);
      states.set(rank, {
        seq: Number(seq),
        enqueued: Number(enqueued),
        // Where nothing was finished, some releases print what stood in memory.
        completed: completed > Number(enqueued) ? -1 : completed,
        groupRank: groupOf(hit, "group_rank") ?? null,
      });
    }
  }
  for (const [key, states] of groups) if (key.includes("/") && isSeveral(states)) groups.delete(key);
  return groups;
}

/** Two ranks that are the same one of their group are of two groups. */
function isSeveral(states: ReadonlyMap<number, State>): boolean {
  const own = [...states.values()].flatMap((state) => state.groupRank ?? []);
  return new Set(own).size < own.length;
}

function isWaiting(state: State): boolean {
  return state.completed < state.seq && state.enqueued >= state.seq;
}

/** Behind in one group, and waiting in no other: who waits elsewhere is late because of somebody else. */
function latecomers(groups: ReadonlyMap<string, ReadonlyMap<number, State>>): number[] {
  const behind = new Set<number>();
  const waitingElsewhere = new Set<number>();
  for (const states of groups.values()) {
    const seq = waitedFor(states);
    for (const [rank, state] of states) {
      const isBehind = seq !== undefined && state.enqueued < seq;
      const alone = states.size < 3 && isWaiting(state);
      if (isBehind && !alone) behind.add(rank);
      else if (isWaiting(state)) waitingElsewhere.add(rank);
    }
  }
  const free = [...behind].filter((rank) => !waitingElsewhere.has(rank));
  return free.length > 0 ? free : [...behind];
}

/** The operation that most of a group wait for. */
function waitedFor(states: ReadonlyMap<number, State>): number | undefined {
  const counts = new Map<number, number>();
  for (const state of states.values()) if (isWaiting(state)) counts.set(state.seq, (counts.get(state.seq) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0];
}

/** All others have finished what these few still wait in. */
function stragglers(states: ReadonlyMap<number, State>): number[] {
  const seq = waitedFor(states);
  if (seq === undefined || states.size < 3) return [];
  const few = [...states].filter(([, state]) => isWaiting(state) && state.seq < seq && state.enqueued >= seq);
  const finished = [...states.values()].filter(
    (state) => state.completed >= Math.max(...few.map(([, one]) => one.seq)),
  );
  return few.length * 2 < states.size && few.length + finished.length === states.size ? few.map(([rank]) => rank) : [];
}

function togetherIn(
  groups: ReadonlyMap<string, ReadonlyMap<number, State>>,
  reporting: ReadonlySet<number>,
): Waiting["together"] {
  for (const states of groups.values()) {
    const seq = waitedFor(states);
    if (seq === undefined || states.size < 2 || states.size < reporting.size) continue;
    if ([...states.values()].every((state) => isWaiting(state) && state.seq === seq))
      return { ranks: states.size, seq };
  }
  return null;
}

/** Only where the number of ranks is known, or one or two holes stand in a full row. */
function missingFrom(reporting: ReadonlySet<number>, seen: ReadonlySet<number>, facts: Facts): number[] {
  if (reporting.size < 3) return [];
  let top = 0;
  for (const rank of reporting) top = Math.max(top, rank);
  for (const rank of seen) top = Math.max(top, rank);
  const world = typeof facts.world_size?.value === "number" ? facts.world_size.value : top + 1;
  if (world > 65_536 || reporting.size < world * 0.5) return [];
  const holes: number[] = [];
  for (let rank = 0; rank < world; rank += 1) if (!reporting.has(rank)) holes.push(rank);
  return holes.length <= Math.max(2, world * 0.1) ? holes : [];
}

function groupOf(hit: Hit, name: string): string | undefined {
  return hit.groups[name] ?? hit.groups[`${name}__2`];
}

export function ranked(ranks: Iterable<number>): number[] {
  return [...ranks].sort((a, b) => a - b);
}
