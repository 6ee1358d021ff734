// What a case's fault is, so that the same fault again is known.
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("cases").addColumn("fault", "text").execute();
  await db.schema.createIndex("cases_fault").on("cases").columns(["team", "channel", "fault"]).execute();
}
