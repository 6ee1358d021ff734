// What goes again: the quotes of a message that was deleted, and cases that nobody touched for long.
import type { Database } from "./database.ts";

export interface Retention {
  /** A message deleted in Slack takes its quotes along; the entry keeps their hash, so the case stays whole. */
  forgetMessage(message: { team: string; channel: string; ts: string }): Promise<void>;
  /** Deletes every case whose newest entry is older, with all that belongs to it; says how many. */
  expire(before: string): Promise<number>;
}

export function createRetention({ kysely: db, told }: Database): Retention {
  return {
    forgetMessage: ({ team, channel, ts }) =>
      told(async () => {
        const pasted = await db
          .selectFrom("entries")
          .innerJoin("cases", (join) =>
            join.onRef("cases.team", "=", "entries.team").onRef("cases.id", "=", "entries.case_id"),
          )
          .select(["entries.case_id", "entries.quotes"])
          .where("entries.team", "=", team)
          .where("entries.message", "=", ts)
          .where("cases.channel", "=", channel)
          .execute();
        await db
          .deleteFrom("candidates")
          .where("team", "=", team)
          .where("channel", "=", channel)
          .where("message", "=", ts)
          .execute();
        for (const { case_id, quotes } of pasted)
          if (quotes !== null)
            await db
              .deleteFrom("quotes")
              .where("team", "=", team)
              .where("case_id", "=", case_id)
              .where("hash", "=", quotes)
              .execute();
      }),

    expire: (before) =>
      told(() =>
        db.transaction().execute(async (trx) => {
          const old = await trx.selectFrom("cases").select(["team", "id"]).where("touched_at", "<", before).execute();
          for (const { team, id } of old) {
            for (const table of ["quotes", "entries"] as const)
              await trx.deleteFrom(table).where("team", "=", team).where("case_id", "=", id).execute();
            await trx
              .deleteFrom("outbox")
              .where("team", "=", team)
              .where("about", "in", [id, `notice:${id}`])
              .execute();
            // The ids of cases hold no sign that "like" reads as its own.
            await trx.deleteFrom("outbox").where("team", "=", team).where("about", "like", `script:${id}:%`).execute();
            await trx.deleteFrom("cases").where("team", "=", team).where("id", "=", id).execute();
          }
          await trx.deleteFrom("candidates").where("at", "<", before).execute();
          // Replies that belong to no case.
          for (const about of ["reply:%", "apology:%"])
            await trx.deleteFrom("outbox").where("about", "like", about).where("changed_at", "<", before).execute();
          return old.length;
        }),
      ),
  };
}
