// The rows both databases hold. Text and integers only: the embedded driver ends the process on anything else.

export interface CaseRow {
  team: string;
  id: string;
  enterprise: string;
  channel: string;
  thread: string;
  language: string;
  receipt: string;
  /** The same for two cases of one fault; null where no line states it. */
  fault: string | null;
  /** JSON: [{ id, hash }] */
  playbooks: string;
  opened_at: string;
  closed_at: string | null;
  /** When the newest entry came; what retention goes by. */
  touched_at: string;
}

export interface EntryRow {
  team: string;
  case_id: string;
  seq: number;
  kind: string;
  actor: string;
  at: string;
  /** Set on answers. */
  step: string | null;
  choice: string | null;
  /** Set on pastes: the message it came from, and the hash its quotes are kept under. */
  message: string | null;
  quotes: string | null;
  /** The whole entry as JSON. */
  body: string;
}

export interface QuoteRow {
  team: string;
  case_id: string;
  hash: string;
  body: string;
}

/** Playbooks hold nobody's data, so they belong to no team. */
export interface PlaybookRow {
  hash: string;
  id: string;
  body: string;
}

export type DeliveryState = "received" | "working" | "done" | "failed";

export interface InboxRow {
  team: string;
  id: string;
  state: string;
  attempts: number;
  /** The delivery as redacted JSON; emptied once it is worked on. */
  body: string;
  received_at: string;
  changed_at: string;
  /** What the person was told to quote, where it failed. */
  reference: string | null;
}

export interface OutboxRow {
  team: string;
  /** The case it shows, or what it replies to. */
  about: string;
  /** Number of the entry that made us post this message; later entries change it in place. */
  seq: number;
  channel: string;
  thread: string;
  /** null from just before we post until Slack's answer is heard. */
  ts: string | null;
  /** The newest entry the message shows, and the hash of what it shows. */
  shown_seq: number;
  shown_hash: string | null;
  /** The newest entry it is to show; ahead of `shown_seq` where an edit was put off. */
  wanted_seq: number;
  /** Slack's word where it will not have this message, and the reference it is logged under. */
  why: string | null;
  reference: string | null;
  changed_at: string;
}

export interface CandidateRow {
  team: string;
  case_id: string;
  /** Who called the diagnosis wrong. */
  actor: string;
  at: string;
  channel: string;
  message: string | null;
  /** The whole candidate as JSON. */
  body: string;
}

export interface ChannelRow {
  team: string;
  channel: string;
  mode: string;
  /** null: the language of the person's own words. */
  language: string | null;
  by_admin: number;
  /** Another company is in it. */
  shared: number;
  /** Who set it last; null where only Slack said something of it. */
  actor: string | null;
  changed_at: string;
}

export interface Tables {
  channels: ChannelRow;
  candidates: CandidateRow;
  cases: CaseRow;
  entries: EntryRow;
  quotes: QuoteRow;
  playbooks: PlaybookRow;
  inbox: InboxRow;
  outbox: OutboxRow;
}
