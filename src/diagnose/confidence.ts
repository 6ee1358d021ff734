// How sure a verdict is: the share of right verdicts among labelled cases that stand on the same kind of evidence.
import type { Claim } from "./claims.ts";
import { ordered } from "./clocks.ts";
import { type Evidence, evidenceOf, evidenceOfQuiet, evidenceOfReport, type Seen } from "./evidence.ts";
import { SHARES } from "./shares.ts";
import type { Status } from "./verdict-type.ts";
import type { Words } from "./words.ts";

export interface Certainty {
  status: Status;
  confidence: number;
  evidence: Evidence;
}

const UNCLEAR = 0.6;
const CONFIDENT = 0.8;

function sure(evidence: Evidence): { confidence: number; evidence: Evidence } {
  return { confidence: SHARES[evidence], evidence };
}

export function faultCertainty(root: Claim, late: boolean, seen: Seen): Certainty & { rival: Claim | null } {
  const rivals = seen.claims.filter(
    (claim) =>
      claim.label !== root.label && claim.role === "cause" && claim.strong && !claim.generic && !explains(root, claim),
  );
  const rival = rivals[0] ?? null;
  const alone = sure(evidenceOf(root, late, seen));
  const both = rival && sure(ordered(root.line, rival.line) !== undefined ? "two-in-order" : "two-causes");
  const found = both && both.confidence < alone.confidence ? both : alone;
  const unclear = rival !== null && found.confidence < UNCLEAR;
  const confirmed = root.strong && (!rival || found.confidence >= CONFIDENT);
  return {
    ...found,
    status: unclear ? "unclear" : confirmed ? "confirmed" : "supported",
    rival: unclear ? rival : null,
  };
}

/** A jump at a resume is a jump; a hot expert's rank runs out of memory. */
function explains(root: Claim, other: Claim): boolean {
  if (root.label === "expert-imbalance" && other.label === "oom") return true;
  return other.curve !== undefined && !root.curve;
}

/** A person's words, and no line of a machine. */
export function saidCertainty(words: Words): Certainty {
  const found = sure(evidenceOfReport(words));
  return { ...found, status: found.confidence < UNCLEAR ? "unclear" : "supported" };
}

export function unknownCertainty(): Certainty {
  return { ...sure("failure"), status: "unknown" };
}

export function quietCertainty(healthy: boolean, words: Words | undefined, seen: Seen): Certainty {
  return { ...sure(evidenceOfQuiet(words, seen)), status: healthy ? "confirmed" : "unknown" };
}
