// Deliveries from Slack: written down, then acknowledged, then worked on. Known by their event id.
import type { DeliveryStore } from "../case/deliveries.ts";
import type { Database } from "./database.ts";
import type { DeliveryState } from "./tables.ts";

/** For the service itself, besides what working on deliveries needs. */
export interface Inbox extends DeliveryStore {
  counts(): Promise<Record<DeliveryState, number>>;
  /** Forgets what is done and older than `done`, and everything older than `failed`. */
  purge(before: { done: string; failed: string }): Promise<void>;
}

export function createInbox(database: Database): Inbox {
  const { kysely: db, told } = database;

  return {
    receive: ({ team, id }, body, at) =>
      told(async () => {
        const inserted = await db
          .insertInto("inbox")
          .values({ team, id, state: "received", attempts: 0, body, received_at: at, changed_at: at, reference: null })
          .onConflict((conflict) => conflict.columns(["team", "id"]).doNothing())
          .executeTakeFirst();
        return inserted.numInsertedOrUpdatedRows === 1n;
      }),

    take: ({ team, id }, at) =>
      told(async () => {
        const taken = await db
          .updateTable("inbox")
          .set((row) => ({ state: "working", attempts: row("attempts", "+", 1), changed_at: at }))
          .where("team", "=", team)
          .where("id", "=", id)
          .where("state", "in", ["received", "working"])
          .executeTakeFirst();
        if (taken.numUpdatedRows === 0n) return undefined;
        const row = await db
          .selectFrom("inbox")
          .select(["body", "attempts", "received_at"])
          .where("team", "=", team)
          .where("id", "=", id)
          .executeTakeFirst();
        return row && { body: row.body, attempt: row.attempts, receivedAt: row.received_at };
      }),

    done: ({ team, id }, at) =>
      told(async () => {
        await db
          .updateTable("inbox")
          .set({ state: "done", body: "", changed_at: at })
          .where("team", "=", team)
          .where("id", "=", id)
          .execute();
      }),

    failed: ({ team, id }, reference, at) =>
      told(async () => {
        await db
          .updateTable("inbox")
          .set({ state: "failed", reference, changed_at: at })
          .where("team", "=", team)
          .where("id", "=", id)
          .execute();
      }),

    leftovers: () =>
      told(() =>
        db
          .selectFrom("inbox")
          .select(["team", "id", "body"])
          .where("state", "in", ["received", "working"])
          .orderBy("received_at")
          .execute(),
      ),

    counts: () =>
      told(async () => {
        const rows = await db
          .selectFrom("inbox")
          .select((row) => ["state", row.fn.countAll().as("n")])
          .groupBy("state")
          .execute();
        const found = Object.fromEntries(rows.map((row) => [row.state, Number(row.n)]));
        return { received: 0, working: 0, done: 0, failed: 0, ...found };
      }),

    purge: (before) =>
      told(async () => {
        await db.deleteFrom("inbox").where("state", "=", "done").where("changed_at", "<", before.done).execute();
        await db.deleteFrom("inbox").where("received_at", "<", before.failed).execute();
      }),
  };
}
