// How sure a verdict is, from what speaks for it and against it. The numbers are the share of right verdicts among
// labelled cases of the same kind; `firstfault eval` prints how they hold.
import type { Claim } from "./claims.ts";
import { ordered } from "./clocks.ts";
import type { TextKind } from "./quiet.ts";
import type { Status } from "./verdict-type.ts";
import type { Words } from "./words.ts";

export interface Certainty {
  status: Status;
  confidence: number;
  rival: Claim | null;
}

const UNCLEAR = 0.6;

export function faultCertainty(root: Claim, claims: readonly Claim[], words: Words | undefined): Certainty {
  const rivals = claims.filter(
    (claim) =>
      claim.label !== root.label && claim.role === "cause" && claim.strong && !claim.generic && !explains(root, claim),
  );
  const rival = rivals[0] ?? null;
  let confidence = alone(root, claims, words);
  if (rival) {
    const first = ordered(root.line, rival.line) !== undefined;
    confidence = Math.min(confidence, first ? 0.82 : 0.55);
  }
  const unclear = rival !== null && confidence < UNCLEAR;
  const status: Status = unclear ? "unclear" : root.strong && (!rival || confidence >= 0.8) ? "confirmed" : "supported";
  return { status, confidence, rival: unclear ? rival : null };
}

function alone(root: Claim, claims: readonly Claim[], words: Words | undefined): number {
  if (!root.strong) {
    const agree = claims.filter((claim) => claim.label === root.label).length;
    const said = words?.label === root.label ? 0.1 : 0;
    return Math.min(0.78, 0.55 + 0.08 * agree + said);
  }
  // What no signature knows may be another fault's way of ending.
  if (root.generic) return 0.78;
  if (root.curve) return 0.88;
  return root.role === "cause" ? 0.96 : 0.92;
}

/** A jump at a resume is a jump; a hot expert's rank runs out of memory. */
function explains(root: Claim, other: Claim): boolean {
  if (root.label === "expert-imbalance" && other.label === "oom") return true;
  return other.curve !== undefined && !root.curve;
}

export interface Quietness {
  healthy: boolean;
  kind: TextKind;
  words: Words | undefined;
  claims: readonly Claim[];
}

export function quietCertainty({ healthy, kind, words, claims }: Quietness): number {
  if (kind.quiet) return 0.95;
  if (claims.length > 0 || kind.alarmed) return 0.75;
  if (words) return Math.max(0.5, Math.min(0.95, 1 - words.report));
  return healthy ? 0.93 : 0.85;
}
