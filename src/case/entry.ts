// What can happen in a case. A case is its entries, append-only; where it stands is a fold over them.
import type { Root, Verdict } from "../diagnose/verdict-type.ts";
import type { Facts, LineRef } from "../facts/fact.ts";
import type { Outcome } from "../playbook/schema.ts";

/** Who did it: a Slack user id with the name as seen, or the terminal's user. */
export interface Person {
  id: string;
  name?: string;
}

interface Happened {
  seq: number;
  by: Person;
  /** ISO 8601, from the clock handed in. */
  at: string;
}

/** The source that is the text itself, beside the files that came with it. */
export const PASTE = "paste";

/** A paste names its sources and what was found in it; its quotes are kept apart, under `quotes`. */
export interface PasteEntry extends Happened {
  kind: "paste";
  sources: { name: string; lines: number; bytes: number; hash: string }[];
  facts: Facts;
  /** Lines that a claim points at. */
  lines: LineRef[];
  /** Hash of the quotes kept apart (see CaseStore.keepQuotes); they can be purged and the entry stays whole. */
  quotes: string | null;
  /** The opening paste carries the verdict without quotes and facts; later pastes carry theirs where they look like a log. */
  verdict: StoredVerdict | null;
  readings: Reading[];
  /** Where Slack has it, so that the same message is never read twice. */
  message: string | null;
  /** The message that asked for it to be read, where that is another one. */
  asked?: string;
}

export interface AnswerEntry extends Happened {
  kind: "answer";
  /** "oom#where". */
  step: string;
  /** A choice of that step, or "reopen:<step>". */
  choice: string;
}

export interface BackEntry extends Happened {
  kind: "back";
}

export interface HandOverEntry extends Happened {
  kind: "hand-over";
  to: Person;
}

/** From here on the case runs against these playbooks. */
export interface AdoptEntry extends Happened {
  kind: "adopt";
  playbooks: { id: string; hash: string }[];
}

/** The same fault was posted again elsewhere in the channel. */
export interface SeenEntry extends Happened {
  kind: "seen";
  /** Where Slack has it. */
  message: string;
}

export interface NoteEntry extends Happened {
  kind: "note";
  text: string;
}

export interface CloseEntry extends Happened {
  kind: "close";
  outcome: Outcome;
  /** Closed with the text for another team, rather than by saying how it ended. */
  escalated: boolean;
}

export type Entry =
  | PasteEntry
  | AnswerEntry
  | BackEntry
  | AdoptEntry
  | HandOverEntry
  | SeenEntry
  | NoteEntry
  | CloseEntry;

/** What an output reader said of a paste (readers.md section 1). */
export interface Reading {
  reader: string | null;
  status: "read" | "partial" | "refused" | "unrecognised";
  finding: { en: string; zh: string };
}

/** The verdict as an entry keeps it: facts stand in the entry, and quotes in a table of their own, since they can be purged. */
export type StoredVerdict = Omit<Verdict, "facts" | "quotes" | "root"> & { root: Omit<Root, "quote"> | null };
