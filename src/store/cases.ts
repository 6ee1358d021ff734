// Cases in a database. Every query names the team.
import type { Insertable, Selectable } from "kysely";
import type { Entry } from "../case/entry.ts";
import type { CaseRecord, CaseStore, Place } from "../case/store.ts";
import type { Database } from "./database.ts";
import type { CaseRow, EntryRow } from "./tables.ts";

export function createCaseStore(database: Database): CaseStore {
  const { kysely: db, told } = database;

  async function withEntries(row: Selectable<CaseRow> | undefined): Promise<CaseRecord | undefined> {
    if (!row) return undefined;
    const entries = await db
      .selectFrom("entries")
      .select("body")
      .where("team", "=", row.team)
      .where("case_id", "=", row.id)
      .orderBy("seq")
      .execute();
    return toRecord(
      row,
      entries.map((entry) => JSON.parse(entry.body) as Entry),
    );
  }

  async function load(team: string, id: string): Promise<CaseRecord | undefined> {
    return withEntries(
      await db.selectFrom("cases").selectAll().where("team", "=", team).where("id", "=", id).executeTakeFirst(),
    );
  }

  async function at(place: Place): Promise<CaseRecord | undefined> {
    return withEntries(
      await db
        .selectFrom("cases")
        .selectAll()
        .where("team", "=", place.team)
        .where("enterprise", "=", place.enterprise)
        .where("channel", "=", place.channel)
        .where("thread", "=", place.thread)
        .executeTakeFirst(),
    );
  }

  return {
    open: (fresh) =>
      told(async () => {
        const opened = await db.transaction().execute(async (trx) => {
          const inserted = await trx
            .insertInto("cases")
            .values(toRow(fresh))
            .onConflict((conflict) => conflict.doNothing())
            .executeTakeFirst();
          if (inserted.numInsertedOrUpdatedRows === 0n) return false;
          for (const entry of fresh.entries)
            await trx
              .insertInto("entries")
              .values(toEntryRow(fresh.place.team, fresh.id, entry))
              .execute();
          return true;
        });
        if (opened) return { opened, found: fresh };
        const found = await at(fresh.place);
        if (!found) throw new Error(`the case id ${fresh.id} is taken by another place`);
        return { opened, found };
      }),

    load: (team, id) => told(() => load(team, id)),

    at: (place) => told(() => at(place)),

    thatRead: ({ team, channel, from, to, by }) =>
      told(async () => {
        const found = db
          .selectFrom("entries")
          .innerJoin("cases", (join) =>
            join.onRef("cases.team", "=", "entries.team").onRef("cases.id", "=", "entries.case_id"),
          )
          .selectAll("cases")
          .where("entries.team", "=", team)
          .where("entries.message", ">=", from)
          .where("entries.message", "<=", to)
          .where("cases.channel", "=", channel)
          .orderBy("cases.opened_at", "desc")
          .limit(1);
        return withEntries(await (by === undefined ? found : found.where("entries.actor", "=", by)).executeTakeFirst());
      }),

    openWith: ({ team, channel, fault, since }) =>
      told(async () =>
        withEntries(
          await db
            .selectFrom("cases")
            .selectAll()
            .where("team", "=", team)
            .where("channel", "=", channel)
            .where("fault", "=", fault)
            .where("closed_at", "is", null)
            .where("touched_at", ">=", since)
            .orderBy("opened_at", "desc")
            .limit(1)
            .executeTakeFirst(),
        ),
      ),

    append: (team, id, entry, closedAt) =>
      told(() =>
        db.transaction().execute(async (trx) => {
          const touched = await trx
            .updateTable("cases")
            .set({ touched_at: entry.at, closed_at: closedAt })
            .where("team", "=", team)
            .where("id", "=", id)
            .executeTakeFirst();
          if (touched.numUpdatedRows === 0n) return false;
          const inserted = await trx
            .insertInto("entries")
            .values(toEntryRow(team, id, entry))
            .onConflict((conflict) => conflict.columns(["team", "case_id", "seq"]).doNothing())
            .executeTakeFirst();
          return inserted.numInsertedOrUpdatedRows === 1n;
        }),
      ),

    keepPlaybook: (playbook) =>
      told(async () => {
        await db
          .insertInto("playbooks")
          .values({ hash: playbook.hash, id: playbook.id, body: JSON.stringify(playbook) })
          .onConflict((conflict) => conflict.column("hash").doNothing())
          .execute();
      }),

    playbook: (hash) =>
      told(async () => {
        const row = await db.selectFrom("playbooks").select("body").where("hash", "=", hash).executeTakeFirst();
        return row && JSON.parse(row.body);
      }),

    keepQuotes: (team, id, hash, quotes) =>
      told(async () => {
        await db
          .insertInto("quotes")
          .values({ team, case_id: id, hash, body: JSON.stringify(quotes) })
          .onConflict((conflict) => conflict.columns(["team", "case_id", "hash"]).doNothing())
          .execute();
      }),

    quotes: (team, id, hash) =>
      told(async () => {
        const row = await db
          .selectFrom("quotes")
          .select("body")
          .where("team", "=", team)
          .where("case_id", "=", id)
          .where("hash", "=", hash)
          .executeTakeFirst();
        return row ? JSON.parse(row.body) : [];
      }),

    close: () => database.close(),
  };
}

function toRecord(row: Selectable<CaseRow>, entries: Entry[]): CaseRecord {
  return {
    id: row.id,
    place: { enterprise: row.enterprise, team: row.team, channel: row.channel, thread: row.thread },
    playbooks: JSON.parse(row.playbooks),
    language: row.language === "zh" ? "zh" : "en",
    receipt: row.receipt,
    fault: row.fault,
    entries,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
  };
}

function toRow(record: CaseRecord): Insertable<CaseRow> {
  return {
    ...record.place,
    id: record.id,
    language: record.language,
    receipt: record.receipt,
    fault: record.fault,
    playbooks: JSON.stringify(record.playbooks),
    opened_at: record.openedAt,
    closed_at: record.closedAt,
    touched_at: record.entries.at(-1)?.at ?? record.openedAt,
  };
}

function toEntryRow(team: string, id: string, entry: Entry): Insertable<EntryRow> {
  return {
    team,
    case_id: id,
    seq: entry.seq,
    kind: entry.kind,
    actor: entry.by.id,
    at: entry.at,
    step: entry.kind === "answer" ? entry.step : null,
    choice: entry.kind === "answer" ? entry.choice : null,
    message: entry.kind === "paste" || entry.kind === "seen" ? entry.message : null,
    quotes: entry.kind === "paste" ? entry.quotes : null,
    body: JSON.stringify(entry),
  };
}
