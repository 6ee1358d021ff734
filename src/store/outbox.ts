// What we posted to Slack and where it is, so that nothing is posted twice and everything is changed in place.
import type { Selectable } from "kysely";
import type { Database } from "./database.ts";
import type { OutboxRow } from "./tables.ts";

/** A message is known by what it is about (a case, or a message replied to) and the entry that made us post it. */
export interface MessageKey {
  team: string;
  about: string;
  seq: number;
}

export interface Posted {
  seq: number;
  channel: string;
  thread: string;
  /** null: we were about to post, and Slack's answer was never heard. */
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
}

export function createMessageStore({ kysely: db, told }: Database): MessageStore {
  return {
    claim: (key, place, at) =>
      told(async () => {
        const inserted = await db
          .insertInto("outbox")
          .values({ ...key, ...place, ts: null, shown_seq: key.seq, shown_hash: null, changed_at: at })
          .onConflict((conflict) => conflict.columns(["team", "about", "seq"]).doNothing())
          .executeTakeFirst();
        return inserted.numInsertedOrUpdatedRows === 1n;
      }),

    find: (key) =>
      told(async () => {
        const row = await db
          .selectFrom("outbox")
          .selectAll()
          .where("team", "=", key.team)
          .where("about", "=", key.about)
          .where("seq", "=", key.seq)
          .executeTakeFirst();
        return row && toPosted(row);
      }),

    newest: ({ team, about }) =>
      told(async () => {
        const row = await db
          .selectFrom("outbox")
          .selectAll()
          .where("team", "=", team)
          .where("about", "=", about)
          .orderBy("seq", "desc")
          .limit(1)
          .executeTakeFirst();
        return row && toPosted(row);
      }),

    shown: (key, { ts, seq, hash }, at) =>
      told(async () => {
        await db
          .updateTable("outbox")
          .set({ ts, shown_seq: seq, shown_hash: hash, changed_at: at })
          .where("team", "=", key.team)
          .where("about", "=", key.about)
          .where("seq", "=", key.seq)
          .execute();
      }),
  };
}

function toPosted(row: Selectable<OutboxRow>): Posted {
  const { seq, channel, thread, ts, shown_seq, shown_hash } = row;
  return { seq, channel, thread, ts, shownSeq: shown_seq, shownHash: shown_hash };
}
