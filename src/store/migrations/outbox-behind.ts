// A message that is behind its case, or that Slack will not have, says so in its row.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // Both databases add one column at a time.
  await db.schema
    .alterTable("outbox")
    .addColumn("wanted_seq", "integer", (col) => col.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable("outbox").addColumn("why", "text").execute();
  await db.schema.alterTable("outbox").addColumn("reference", "text").execute();
  await sql`update outbox set wanted_seq = shown_seq`.execute(db);
}
