// How the bot behaves in a channel.
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("channels")
    .addColumn("team", "text", (col) => col.notNull())
    .addColumn("channel", "text", (col) => col.notNull())
    .addColumn("mode", "text", (col) => col.notNull())
    .addColumn("language", "text")
    .addColumn("by_admin", "integer", (col) => col.notNull())
    .addColumn("shared", "integer", (col) => col.notNull())
    .addColumn("actor", "text")
    .addColumn("changed_at", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("channels_pk", ["team", "channel"])
    .execute();
}
