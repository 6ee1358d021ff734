// What a database must do for cases. Filled by store/; memory.ts is the small real one for the command line and tests.
import type { Quote } from "../diagnose/verdict-type.ts";
import type { Playbook } from "../playbook/schema.ts";
import type { Entry } from "./entry.ts";

/** A case is known by where it lives. The command line uses team "local". */
export interface Place {
  enterprise: string;
  team: string;
  channel: string;
  thread: string;
}

export interface CaseRecord {
  id: string;
  place: Place;
  /** The playbook it opened with, at the content hash it runs against; each handed-to playbook is kept under its own. */
  playbooks: { id: string; hash: string }[];
  language: "en" | "zh";
  receipt: string;
  /** The same for two cases of one fault; null where no line states it. */
  fault: string | null;
  entries: Entry[];
  openedAt: string;
  closedAt: string | null;
}

/** A fault in one channel, touched since. */
export interface Faulty {
  team: string;
  channel: string;
  fault: string;
  since: string;
}

/** Messages of one channel, by when they were written; by one person where one is named. */
export interface Messages {
  team: string;
  channel: string;
  /** As Slack numbers them, both included. */
  from: string;
  to: string;
  by?: string;
}

export interface CaseStore {
  /** Opens a case with its first entry; where the place has one already, returns that one untouched. */
  open(fresh: CaseRecord): Promise<{ opened: boolean; found: CaseRecord }>;
  load(team: string, id: string): Promise<CaseRecord | undefined>;
  at(place: Place): Promise<CaseRecord | undefined>;
  /** The newest case that has read one of these messages, wherever it lives. */
  thatRead(messages: Messages): Promise<CaseRecord | undefined>;
  /** The newest open case of this fault. */
  openWith(faulty: Faulty): Promise<CaseRecord | undefined>;
  /**
   * Appends as entry number `entry.seq`; false where another entry took that number first. `closedAt` is how the case
   * stands after it: a walk that reached an end is closed, and `back` from there opens it again.
   */
  append(team: string, id: string, entry: Entry, closedAt: string | null): Promise<boolean>;
  /** Keeps a playbook's body under its content hash; the same hash twice is one body. */
  keepPlaybook(playbook: Playbook): Promise<void>;
  playbook(hash: string): Promise<Playbook | undefined>;
  /** Redacted quotes of one entry, under their hash. */
  keepQuotes(team: string, id: string, hash: string, quotes: Quote[]): Promise<void>;
  quotes(team: string, id: string, hash: string): Promise<Quote[]>;
  close(): Promise<void>;
}
