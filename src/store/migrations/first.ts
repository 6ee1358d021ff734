// The first set of tables. A migration that was ever released is never edited; the next change is a new file.
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("cases")
    .addColumn("team", "text", (col) => col.notNull())
    .addColumn("id", "text", (col) => col.notNull())
    .addColumn("enterprise", "text", (col) => col.notNull())
    .addColumn("channel", "text", (col) => col.notNull())
    .addColumn("thread", "text", (col) => col.notNull())
    .addColumn("language", "text", (col) => col.notNull())
    .addColumn("receipt", "text", (col) => col.notNull())
    .addColumn("playbooks", "text", (col) => col.notNull())
    .addColumn("opened_at", "text", (col) => col.notNull())
    .addColumn("closed_at", "text")
    .addColumn("touched_at", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("cases_pk", ["team", "id"])
    .addUniqueConstraint("cases_place", ["team", "enterprise", "channel", "thread"])
    .execute();
  await db.schema.createIndex("cases_touched").on("cases").column("touched_at").execute();

  await db.schema
    .createTable("entries")
    .addColumn("team", "text", (col) => col.notNull())
    .addColumn("case_id", "text", (col) => col.notNull())
    .addColumn("seq", "integer", (col) => col.notNull())
    .addColumn("kind", "text", (col) => col.notNull())
    .addColumn("actor", "text", (col) => col.notNull())
    .addColumn("at", "text", (col) => col.notNull())
    .addColumn("step", "text")
    .addColumn("choice", "text")
    .addColumn("message", "text")
    .addColumn("quotes", "text")
    .addColumn("body", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("entries_pk", ["team", "case_id", "seq"])
    .execute();
  await db.schema.createIndex("entries_message").on("entries").columns(["team", "message"]).execute();

  await db.schema
    .createTable("quotes")
    .addColumn("team", "text", (col) => col.notNull())
    .addColumn("case_id", "text", (col) => col.notNull())
    .addColumn("hash", "text", (col) => col.notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("quotes_pk", ["team", "case_id", "hash"])
    .execute();

  await db.schema
    .createTable("playbooks")
    .addColumn("hash", "text", (col) => col.primaryKey())
    .addColumn("id", "text", (col) => col.notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .execute();

  await db.schema
    .createTable("inbox")
    .addColumn("team", "text", (col) => col.notNull())
    .addColumn("id", "text", (col) => col.notNull())
    .addColumn("state", "text", (col) => col.notNull())
    .addColumn("attempts", "integer", (col) => col.notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .addColumn("received_at", "text", (col) => col.notNull())
    .addColumn("changed_at", "text", (col) => col.notNull())
    .addColumn("reference", "text")
    .addPrimaryKeyConstraint("inbox_pk", ["team", "id"])
    .execute();
  await db.schema.createIndex("inbox_state").on("inbox").columns(["state", "received_at"]).execute();

  await db.schema
    .createTable("outbox")
    .addColumn("team", "text", (col) => col.notNull())
    .addColumn("about", "text", (col) => col.notNull())
    .addColumn("seq", "integer", (col) => col.notNull())
    .addColumn("channel", "text", (col) => col.notNull())
    .addColumn("thread", "text", (col) => col.notNull())
    .addColumn("ts", "text")
    .addColumn("shown_seq", "integer", (col) => col.notNull())
    .addColumn("shown_hash", "text")
    .addColumn("changed_at", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("outbox_pk", ["team", "about", "seq"])
    .execute();
}
