// What a database must do for the messages that show a case, so that nothing is posted twice and everything is changed in
// place. Filled by store/, used by the one way a message leaves.

/** A message is known by what it is about and the entry that made us post it. */
export interface MessageKey {
  team: string;
  /** A case's id, `notice:<case>` or `reply:<channel>:<ts>`. */
  about: string;
  seq: number;
}

export interface Posted {
  seq: number;
  channel: string;
  thread: string;
  /** null: we were about to post, and the answer was never heard. */
  ts: string | null;
  shownSeq: number;
  shownHash: string | null;
}

export interface MessageStore {
  /** Claims the message before it is posted; false where it is claimed or posted already. */
  claim(key: MessageKey, place: { channel: string; thread: string }, at: string): Promise<boolean>;
  find(key: MessageKey): Promise<Posted | undefined>;
  /** The latest of those that are about the same: where an older one was deleted, a new one took its place. */
  newest(about: Pick<MessageKey, "team" | "about">): Promise<Posted | undefined>;
  /** The message stands at `ts` and shows this. */
  shown(key: MessageKey, shown: { ts: string; seq: number; hash: string }, at: string): Promise<void>;
  /** It is to show entry `seq`, and will soon. */
  wanted(key: MessageKey, seq: number, at: string): Promise<void>;
  /** It did not get there, and nobody is about to try again; the reference is what the log calls it. */
  failed(key: MessageKey, why: { why: string; reference: string | null }, at: string): Promise<void>;
  /** What an earlier run owed: messages that are behind what they are to show. */
  behind(): Promise<Pick<MessageKey, "team" | "about">[]>;
  /** How many are behind or never heard of. */
  depth(): Promise<number>;
}
