// The verdict: plain data that every adapter, the case and the store share. Field by field as `diagnose --json` prints it,
// but for lines, which are always {source, line} in here.
import type { Facts, LineRef } from "../facts/fact.ts";
import type { Label } from "../facts/signature.ts";
import type { Evidence } from "./evidence.ts";

export type Status = "confirmed" | "supported" | "unclear" | "unknown";

export interface Root {
  at: LineRef;
  rank: number | null;
  host: string | null;
  /** As printed. */
  time: string | null;
  /** ISO 8601, only where the zone is known. */
  utc: string | null;
  role: "cause" | "first-symptom";
  quote: string;
}

export interface Cascade {
  victims: number;
  late: number[];
  missing: number[];
  first_to_last_s: number | null;
  /** One sentence a person can check. */
  why: { en: string; zh: string };
}

/** One line of the story, for people: what happened, where it stands. Redacted. */
export interface Quote {
  at: LineRef;
  quote: string;
  rank: number | null;
  host: string | null;
  time: string | null;
  role: "root" | "consequence" | "context";
  /** How many lines say the same. */
  count: number;
}

export interface Verdict {
  label: Label;
  status: Status;
  confidence: number;
  /** What it stands on; the confidence is this kind's share of right verdicts. */
  evidence: Evidence;
  /** The one whose signature states the root: label other has several. null with label none. */
  playbook: string | null;
  /** Named kind of failure; null if not told apart. Opens the walk: see the playbook's `opens`. */
  subcause: string | null;
  secondary: { label: Label; lines: LineRef[] }[];
  root: Root | null;
  /** Where there is no root: the line in which a person says it. */
  said: Root | null;
  cascade: Cascade | null;
  facts: Facts;
  runner_up: { label: Label; would_separate: { en: string; zh: string } } | null;
  /** Root first, then what followed; at most a dozen. */
  quotes: Quote[];
  /** Which log would tell, where it cannot be told; null otherwise. */
  would_tell: { en: string; zh: string } | null;
  /** What is wrong with the clocks, and what that means for the order; null where they agree. */
  clock: { en: string; zh: string } | null;
  /** A person's own language, where the text holds words of one. */
  language: "en" | "zh" | null;
  input: {
    sources: string[];
    lines: number;
    bytes: number;
    cut_lines: number;
    ranks_seen: string[];
    redacted: Record<string, number>;
  };
}
