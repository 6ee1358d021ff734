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
          .values({ ...key, ...place, ...NEW, shown_seq: key.seq, wanted_seq: key.seq, changed_at: at })
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
          .set({ ts, shown_seq: seq, shown_hash: hash, why: null, reference: null, changed_at: at })
          .where("team", "=", key.team)
          .where("about", "=", key.about)
          .where("seq", "=", key.seq)
          .execute();
      }),

    wanted: (key, seq, at) =>
      told(async () => {
        await db
          .updateTable("outbox")
          .set({ wanted_seq: seq, why: null, reference: null, changed_at: at })
          .where("team", "=", key.team)
          .where("about", "=", key.about)
          .where("seq", "=", key.seq)
          .where("wanted_seq", "<", seq)
          .execute();
      }),

    failed: (key, { why, reference }, at) =>
      told(async () => {
        await db
          .updateTable("outbox")
          .set({ why, reference, changed_at: at })
          .where("team", "=", key.team)
          .where("about", "=", key.about)
          .where("seq", "=", key.seq)
          .execute();
      }),

    behind: () =>
      told(() =>
        db
          .selectFrom("outbox")
          .select(["team", "about"])
          .distinct()
          .where("ts", "is not", null)
          .where("why", "is", null)
          .whereRef("wanted_seq", ">", "shown_seq")
          .execute(),
      ),

    depth: () =>
      told(async () => {
        const { n } = await db
          .selectFrom("outbox")
          .select((row) => row.fn.countAll().as("n"))
          .where("why", "is", null)
          .where((row) => row.or([row("ts", "is", null), row("wanted_seq", ">", row.ref("shown_seq"))]))
          .executeTakeFirstOrThrow();
        return Number(n);
      }),
  };
}

/** Claimed, and not heard of yet. */
const NEW = { ts: null, shown_hash: null, why: null, reference: null };

function toPosted(row: Selectable<OutboxRow>): Posted {
  const { seq, channel, thread, ts, shown_seq, shown_hash } = row;
  return { seq, channel, thread, ts, shownSeq: shown_seq, shownHash: shown_hash };
}
