// Facts about who: the culprit is said only where it is known; who complains is another fact.
import type { Facts, FactValue, LineRef } from "../facts/fact.ts";
import type { Claim } from "./claims.ts";
import { isBefore } from "./clocks.ts";
import type { Finds } from "./finds.ts";
import type { Line } from "./lines.ts";
import { shortHost } from "./nodes.ts";
import { ranked, type Waiting } from "./waiting.ts";

/** Faults that the ranks which wait print, and whose culprit is another. */
const COMPLAINTS = new Set(["deepep-timeout"]);
/** What a rank prints of its own, though another line may say why. */
const ITS_OWN = new Set(["data-loader-killed", "segfault"]);
/** A wrapper of one process tells of that one: its prefix is the rank. */
const OWN_END = /^(?:process|worker|task) (?:exited|ended|died|terminated) with (?:exit )?(?:code|status) /i;
/** One fault that more ranks than this print as their own is a fault of the job. */
const MOST_CULPRITS = 4_096;

/** The global rank of a root that does not carry one: said in its line, by the launcher, by the node, by the same fault. */
export function rankOfRoot(root: Claim, facts: Facts, finds: Finds, claims: readonly Claim[]): number | null {
  return (
    rankSaid(root, facts) ??
    rankEnded(root, finds) ??
    rankByNode(root, facts, finds) ??
    rankOfSame(root, claims) ??
    null
  );
}

/** "Rank 19: found NaN": the line itself says whose fault it is. */
function rankSaid(root: Claim, facts: Facts): number | null {
  const { rank } = facts;
  return typeof rank?.value === "number" && rank.lines.some((at) => isAt(at, root.line)) ? rank.value : null;
}

/** The launcher's entry is the root itself: a process that was killed says nothing. */
function rankEnded(root: Claim, finds: Finds): number | null {
  const own = finds.launchers.endings().find((one) => one.lines.some((line) => isAt(refOf(line), root.line)));
  return own?.rank ?? null;
}

/** The local rank or GPU of the root's own line, where the text says which global rank that is. */
function rankByNode(root: Claim, facts: Facts, finds: Finds): number | null {
  const gpu = facts.gpu?.lines.some((at) => isAt(at, root.line)) ? facts.gpu.value : null;
  const local = root.line.localRank ?? root.line.gpu ?? gpu;
  return (typeof local === "number" ? finds.nodes.globalRank(root.line, local) : undefined) ?? null;
}

/** An exception without a prefix, and the same fault told once more by one rank. */
function rankOfSame(root: Claim, claims: readonly Claim[]): number | null {
  const same = claims.filter(
    (claim) =>
      claim.role === "cause" && claim.label === root.label && claim.subcause === root.subcause && !claim.generic,
  );
  const ranks = new Set(same.flatMap((claim) => claim.lines).map((line) => line.rank));
  ranks.delete(null);
  const [only] = ranks;
  return ranks.size === 1 && root.label !== "loss-spike" && root.label !== "expert-imbalance" ? (only ?? null) : null;
}

/** A signal killed one process, and it is not among those who gave up: the launcher's entry says which. */
function rankOfDeath(root: Claim, finds: Finds, waiting: Waiting): number | null {
  const rank = rankEnded(root, finds) ?? (OWN_END.test(root.line.text) ? root.line.rank : null);
  if (rank === null || waiting.reporting.includes(rank)) return null;
  const signals = finds.launchers.endings().filter((one) => one.signal === 9 || one.signal === 11 || one.signal === 7);
  return signals.every((one) => one.rank === rank) ? rank : null;
}

export function settleRanks(facts: Facts, root: Claim, waiting: Waiting, claims: readonly Claim[], finds: Finds): void {
  const at = refOf(root.line);
  const put = (name: string, value: FactValue | null, lines: LineRef[] = [at]): void => {
    if (value !== null) facts[name] ??= { value, lines };
  };
  const complains = root.role === "cause" && COMPLAINTS.has(root.subcause ?? "");
  const complain = complains
    ? ranksOf(sameFault(root, claims))
    : waiting.reporting.filter((rank) => rank !== root.line.rank || root.role === "consequence");
  if (complain.length > 0) facts.reporting_ranks = { value: complain, lines: [at] };
  const dead = root.role === "consequence" ? rankOfDeath(root, finds, waiting) : null;
  if (root.role === "consequence" && waiting.late.length > 0) put("suspect_ranks", waiting.late);
  if (complains) {
    if (facts.rank?.lines.some((one) => isAt(one, root.line))) delete facts.rank;
  } else if (root.role === "cause") {
    // The machine's own line names no rank; one hole in a full row of those who gave up does.
    const only = waiting.missing.length === 1 ? (waiting.missing[0] as number) : null;
    if (root.line.rank !== null) facts.rank = { value: root.line.rank, lines: [at] };
    else if (only !== null && !root.curve) facts.rank = { value: only, lines: [at] };
    const culprits = ranksOf(sameFault(root, claims));
    if (culprits.length > 1 && culprits.length <= MOST_CULPRITS && !root.curve) put("ranks", culprits);
  } else if (root.line.rank !== null && ITS_OWN.has(root.subcause ?? ""))
    facts.rank = { value: root.line.rank, lines: [at] };
  else if (dead !== null) facts.rank = { value: dead, lines: [at] };
  else if (waiting.late.length === 1)
    facts.rank = { value: waiting.late[0] as number, lines: facts.suspect_ranks?.lines ?? [at] };
  else if (waiting.unfinished.length === 1 && waiting.late.length === 0) {
    put("suspect_ranks", waiting.unfinished);
    facts.rank = { value: waiting.unfinished[0] as number, lines: [at] };
  } else if (waiting.missing.length === 1 && waiting.late.length === 0) {
    put("suspect_ranks", waiting.missing);
    facts.rank = { value: waiting.missing[0] as number, lines: [at] };
  } else if (waiting.reporting.length > 0) delete facts.rank;
  if (isAnothers(facts, root)) {
    for (const name of OF_A_PROCESS) if (facts[name]?.lines.some((one) => isAt(one, root.line))) delete facts[name];
    put("host", finds.hostOfRank.get(facts.rank?.value as number) ?? null, facts.rank?.lines);
    return;
  }
  put("host", root.line.host);
  put("gpu", root.line.gpu);
  put("local_rank", root.line.localRank ?? root.line.gpu);
  put("pid", root.line.pid);
  put("ip", root.line.ip);
}

/** What a line's prefix says of whoever printed it. */
const OF_A_PROCESS = ["host", "gpu", "local_rank", "pid", "ip"];

/** The root's line was printed by one rank, and the culprit is another. */
function isAnothers({ rank }: Facts, root: Claim): boolean {
  return (
    root.role === "consequence" && typeof rank?.value === "number" && (root.line.rank ?? rank.value) !== rank.value
  );
}

/** The only host that the text knows is where it happened. */
export function settleHost(facts: Facts, finds: Finds): void {
  const told = facts.host?.value;
  if (typeof told === "string" && finds.nodes.isCollector(told)) delete facts.host;
  const hosts = new Map<string, Line>();
  for (const line of finds.hosts.values()) hosts.set(shortHost(line.host ?? ""), line);
  for (const ending of finds.launchers.endings())
    if (ending.host !== null && ending.lines[0])
      hosts.set(shortHost(ending.host), { ...ending.lines[0], host: ending.host });
  const [only] = hosts.values();
  if (hosts.size === 1 && only?.host && !finds.nodes.isCollector(only.host))
    facts.host ??= { value: only.host, lines: [refOf(only)] };
}

/** Lines of the claims that state the same fault as the root. */
function sameFault(root: Claim, claims: readonly Claim[]): Line[] {
  const same = claims.filter(
    (claim) =>
      claim === root ||
      (claim.role === "cause" &&
        claim.label === root.label &&
        claim.subcause === root.subcause &&
        (root.raised
          ? claim.raised?.type === root.raised.type && claim.raised.message === root.raised.message
          : !claim.raised)),
  );
  return same.flatMap((claim) => claim.lines);
}

function ranksOf(lines: readonly Line[]): number[] {
  const ranks = new Set<number>();
  for (const line of lines) if (line.rank !== null) ranks.add(line.rank);
  return ranked(ranks);
}

interface Step {
  step: number;
  line: Line;
}

/** The last step that was printed before the root, by a training line, else a bar, else a line about a checkpoint. */
export function stepBefore(at: Line, finds: Finds): Step | undefined {
  const points = finds.series.tracks().flatMap((track) => track.filter((point) => point.step !== null) as Step[]);
  for (const steps of [points, finds.setting.bars(), finds.setting.marks()]) {
    let last: Step | undefined;
    for (const step of steps)
      if ((isBefore(step.line, at) || isAt(refOf(step.line), at)) && (!last || isBefore(last.line, step.line)))
        last = step;
    if (last) return last;
  }
  return undefined;
}

function isAt(at: LineRef, line: Line): boolean {
  return at.source === line.source && at.line === line.line;
}

function refOf(line: Line): LineRef {
  return { source: line.source, line: line.line };
}
