// Picks the first fault, not the most frequent line: by time where a clock allows it, otherwise by role.
import type { Claim } from "./claims.ts";
import { gapOf, isBefore } from "./clocks.ts";
import type { Line } from "./lines.ts";
import type { TextKind } from "./quiet.ts";

/** What follows from a fault is printed within it. */
const APART_MS = 2_000;
/** The kernel names no rank, and its lines take longer. */
const FAR_APART_MS = 15_000;

export function rootOf(claims: readonly Claim[], kind: TextKind): Claim | undefined {
  const standing = claims.filter((claim) => !afterTheEnd(claim, kind));
  const causes = standing.filter((claim) => claim.role === "cause" && claim.strong);
  const named = causes.filter((claim) => !claim.generic && !claim.curve);
  const curves = causes.filter((claim) => claim.curve);
  const waits = standing.filter((claim) => claim.role === "consequence" && claim.strong);
  const skew = curves.find((claim) => claim.label === "expert-imbalance" && printedFor(claim, named, waits));
  if (skew) return skew;
  const first = withItsReason(earliest(named), named);
  const generic = earliest(causes.filter((claim) => claim.generic));
  if (first) return generic && isFaultOfItsOwn(generic, first) ? generic : first;
  const curve = earliest(curves);
  if (curve && !(generic && isBefore(generic.line, curve.line))) {
    const wait = earliest(waits);
    // A spike that recovered stops no one; whoever waits then has another reason.
    const harmless = curve.subcause === "spike-with-recovery" || curve.subcause === "aux-loss-climb";
    if (!((wait || generic) && harmless)) return curve;
  }
  if (generic && !isEcho(generic, waits)) return generic;
  const wait = deathBefore(waits) ?? nameOfAbsent(waits) ?? earliest(waits);
  if (wait) return wait;
  const weak = standing.filter((claim) => !claim.strong);
  return (
    generic ??
    earliest(weak.filter((claim) => claim.role === "cause")) ??
    earliest(weak.filter((claim) => isLost(claim)))
  );
}

/** Nothing but what follows from a lost peer: a paste of one victim's last lines. */
function isLost(claim: Claim): boolean {
  return claim.role === "consequence" && claim.label === "nccl-timeout";
}

/** Router skew printed for the rank that ran out of memory or was waited for. */
function printedFor(skew: Claim, named: readonly Claim[], waits: readonly Claim[]): boolean {
  if (skew.subcause === "aux-loss-climb" || skew.subcause === "max-violation-climb")
    return named.length === 0 && waits.length === 0;
  const memory = named.filter((claim) => claim.label === "oom");
  const other = named.filter((claim) => claim.label !== "oom" && claim.label !== "expert-imbalance");
  if (other.length > 0) return false;
  const hot = skew.curve?.facts.rank?.value;
  return memory.every((claim) => hot === undefined || claim.line.rank === null || claim.line.rank === hot);
}

/** An exception of one rank, and well after it another fault on another: the second does not explain the first. */
function isFaultOfItsOwn(generic: Claim, named: Claim): boolean {
  const { rank } = generic.line;
  if (rank === null || named.lines.some((line) => line.rank === rank)) return false;
  const told = named.lines.every((line) => line.rank !== null);
  return (gapOf(generic.line, named.line) ?? 0) >= (told ? APART_MS : FAR_APART_MS);
}

/** In the traceback after it, at most so many lines on. */
const NEARBY = 12;

/** "file write failed" says what could not be done; the error raised while it was handled says why, with its errno. */
function withItsReason(first: Claim | undefined, named: readonly Claim[]): Claim | undefined {
  if (!first || errnoOf(first)) return first;
  const reason = named.find(({ subcause, line, ...claim }) => {
    const after = line.line - first.line.line;
    const same = subcause === first.subcause && line.source === first.line.source && line.rank === first.line.rank;
    return same && after > 0 && after <= NEARBY && errnoOf(claim);
  });
  return reason ?? first;
}

function errnoOf({ kept }: Pick<Claim, "kept">): boolean {
  return kept?.first.groups.errno !== undefined;
}

/** How a launcher tells of a process that said nothing more. */
const DEATHS = new Set(["process-killed", "segfault"]);

/** Who is dead waits for no one: the others waited for it, unless a time-out is known to come before. */
function deathBefore(waits: readonly Claim[]): Claim | undefined {
  const death = earliest(waits.filter((claim) => DEATHS.has(claim.subcause ?? "")));
  if (!death) return undefined;
  // Nodes of several zones may share one file: there a clock is believed only where the order of lines agrees.
  const before = (line: Line): boolean =>
    isBefore(line, death.line) && (line.source !== death.line.source || line.line < death.line.line);
  const late = waits.some((wait) => wait.label !== death.label && wait.lines.some(before));
  return late ? undefined : death;
}

/** Of those who complain of the same, the one that says who did not come states it; the others only waited for its word. */
function nameOfAbsent(waits: readonly Claim[]): Claim | undefined {
  const first = earliest(waits);
  return waits.find((wait) => wait.subcause === first?.subcause && wait.kept?.first.groups.suspect_ranks !== undefined);
}

/** What is raised on a rank after that rank's own time-out follows from it. */
function isEcho(generic: Claim, waits: readonly Claim[]): boolean {
  return waits.some((wait) =>
    wait.lines.some(
      (line) => line.rank === generic.line.rank && line.source === generic.line.source && isBefore(line, generic.line),
    ),
  );
}

/** An exception after the run said that it ended well is a process going down. */
function afterTheEnd(claim: Claim, kind: TextKind): boolean {
  if (!claim.generic) return false;
  return kind.done.some((done) => done.source === claim.line.source && done.line < claim.line.line);
}

/** By the clock both have, then by order of reading. */
function earliest(claims: readonly Claim[]): Claim | undefined {
  let first: Claim | undefined;
  for (const claim of claims) {
    if (!first || isBefore(claim.line, first.line)) first = claim;
  }
  return first;
}
