// Everything that this folder has recorded. No text of anyone's message is in it.

export type SlackHappened =
  | { kind: "delivery-refused"; why: "not-a-delivery" | "bad-signature" | "not-an-object" | "too-large" }
  | { kind: "delivery-not-written"; id: string; error: unknown }
  | { kind: "delivery-not-acknowledged"; id: string; error: unknown }
  | { kind: "delivery-acknowledged"; id: string; ms: number }
  | { kind: "delivery-known"; id: string; retry: number | null }
  | { kind: "delivery-done"; id: string; ms: number }
  | { kind: "delivery-again"; id: string; attempt: number; error: unknown }
  | { kind: "delivery-failed"; id: string; reference: string; error: unknown }
  | { kind: "apology-not-posted"; reference: string; error: unknown }
  | { kind: "file-not-fetched"; file: string; why: string; error?: unknown }
  | { kind: "case-opened"; case: string; label: string; status: string; ms: number }
  | { kind: "case-changed"; case: string; how: string; step: string | null }
  | { kind: "stayed-silent"; label: string; status: string; ms: number }
  | { kind: "fault-seen-again"; case: string; label: string; status: string; ms: number }
  | { kind: "nothing-found"; label: string; status: string; ms: number }
  | { kind: "message-posted"; about: string; seq: number; found: boolean }
  | { kind: "file-not-posted"; about: string; why: string }
  | { kind: "message-updated"; about: string; seq: number }
  | { kind: "message-replaced"; about: string; why: string }
  | { kind: "thread-not-readable"; about: string; why: string }
  | { kind: "rate-limited"; method: string; seconds: number }
  | { kind: "edit-put-off"; about: string }
  | { kind: "edit-caught-up"; about: string }
  | { kind: "edit-failed"; about: string; error: unknown }
  /** Slack will not have it: the token, the channel or the app's place in it is gone. */
  | { kind: "message-given-up"; about: string; why: string; reference: string }
  | { kind: "ephemeral-not-posted"; why: string }
  | { kind: "card-not-shown"; why: string }
  /** Another company's person clicked, or wrote a link. */
  | { kind: "stranger-refused" }
  | { kind: "form-not-opened"; form: string; why: string }
  | { kind: "socket-up"; socket: number }
  | { kind: "socket-down"; socket: number; failures: number; error?: unknown }
  /** Slack refuses the app's token; this socket is not tried again. */
  | { kind: "socket-refused"; socket: number; error: unknown };

export type RecordSlack = (happened: SlackHappened) => void;
