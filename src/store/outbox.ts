// What we posted to Slack and where it is, so that nothing is posted twice and everything is changed in place.
import type { Database } from "./database.ts";

/** A message is known by its case and the entry that made us post it. */
export interface MessageKey {
  team: string;
  case: string;
  seq: number;
}

export interface Posted {
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
  /** The message stands at `ts` and shows this. */
  shown(key: MessageKey, shown: { ts: string; seq: number; hash: string }, at: string): Promise<void>;
}

export function createMessageStore(database: Database): MessageStore {
  const { kysely: db, told } = database;

  return {
    claim: (key, place, at) =>
      told(async () => {
        const inserted = await db
          .insertInto("outbox")
          .values({
            team: key.team,
            case_id: key.case,
            seq: key.seq,
            channel: place.channel,
            thread: place.thread,
            ts: null,
            shown_seq: key.seq,
            shown_hash: null,
            changed_at: at,
          })
          .onConflict((conflict) => conflict.columns(["team", "case_id", "seq"]).doNothing())
          .executeTakeFirst();
        return inserted.numInsertedOrUpdatedRows === 1n;
      }),

    find: (key) =>
      told(async () => {
        const row = await db
          .selectFrom("outbox")
          .selectAll()
          .where("team", "=", key.team)
          .where("case_id", "=", key.case)
          .where("seq", "=", key.seq)
          .executeTakeFirst();
        return (
          row && {
            channel: row.channel,
            thread: row.thread,
            ts: row.ts,
            shownSeq: row.shown_seq,
            shownHash: row.shown_hash,
          }
        );
      }),

    shown: (key, { ts, seq, hash }, at) =>
      told(async () => {
        await db
          .updateTable("outbox")
          .set({ ts, shown_seq: seq, shown_hash: hash, changed_at: at })
          .where("team", "=", key.team)
          .where("case_id", "=", key.case)
          .where("seq", "=", key.seq)
          .execute();
      }),
  };
}
