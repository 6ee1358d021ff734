// Diagnoses that somebody called wrong.
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("candidates")
    .addColumn("team", "text", (col) => col.notNull())
    .addColumn("case_id", "text", (col) => col.notNull())
    .addColumn("actor", "text", (col) => col.notNull())
    .addColumn("at", "text", (col) => col.notNull())
    .addColumn("channel", "text", (col) => col.notNull())
    .addColumn("message", "text")
    .addColumn("body", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("candidates_pk", ["team", "case_id", "actor"])
    .execute();
}
