// What we posted to Slack and where it is, so that nothing is posted twice and everything is changed in place.
import type { Selectable } from "kysely";
import type { MessageStore, Posted } from "../case/messages.ts";
import type { Database } from "./database.ts";
import type { OutboxRow } from "./tables.ts";

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
