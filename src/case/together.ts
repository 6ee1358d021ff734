// Whether what somebody sends right after a log belongs to its case: the rest of it, another rank's log, a tool's output; or
// is another failure.
import { readStamp } from "../diagnose/clock.ts";
import type { StoredVerdict } from "./entry.ts";
import type { Given } from "./fresh.ts";
import { isEvidence } from "./pasted-output.ts";
import { tellingPaste } from "./replay.ts";
import type { CaseRecord } from "./store.ts";

/** How long after the cause victims may still give up: the longest time-outs, and some time to say so. */
const GIVES_UP_S = 7200;
/** How far apart ranks of one job print what they have in common; clocks of nodes differ. */
const SAME_TIME_S = 600;
const CLOCKS_S = 60;

export function belongsTogether(record: CaseRecord, given: Given): boolean {
  if (!isEvidence(given)) return false;
  const { verdict } = given;
  const known = tellingPaste(record)?.verdict ?? null;
  if (!verdict.root || !known?.root) return true;
  const gap = secondsBetween(known.root.time, verdict.root.time);
  const causes = [known.root, verdict.root].filter(({ role }) => role === "cause").length;
  // Two causes: of one job only where the second comes without a whole story of its own.
  if (causes === 2 && isWhole(verdict)) return false;
  if (gap === null) return isMissing(verdict, known, causes);
  if (causes !== 1) return Math.abs(gap) <= SAME_TIME_S;
  const after = verdict.root.role === "cause" ? -gap : gap;
  return after >= -CLOCKS_S && after <= GIVES_UP_S;
}

/** Without times to go by, only what is missing from a story is taken for a part of it. */
function isMissing({ label }: Pick<StoredVerdict, "label">, known: StoredVerdict, causes: number): boolean {
  if (causes === 2) return label === known.label && !isWhole(known);
  // A loss is everybody's: it neither gives up on others nor makes them.
  if (label !== known.label && [label, known.label].includes("loss-spike")) return false;
  return known.root?.role === "first-symptom" || !isWhole(known);
}

/** It tells the cause and what followed from it. */
function isWhole({ cascade, secondary }: Pick<StoredVerdict, "cascade" | "secondary">): boolean {
  return cascade !== null || secondary.length > 0;
}

/** From one printed time to the other; null where they are not of one clock. */
function secondsBetween(from: string | null, to: string | null): number | null {
  const [one, other] = [from, to].map((time) => (time === null ? undefined : readStamp(time, 0)));
  return one && other && one.kind === other.kind ? (other.ms - one.ms) / 1000 : null;
}
