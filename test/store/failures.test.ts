// What an operator is told when the database cannot be used, and that nothing acknowledged is ever lost.

import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import { bindable } from "../../src/store/bindable.ts";
import { openDatabase } from "../../src/store/database.ts";
import { createInbox } from "../../src/store/inbox.ts";
import { postgresProblem, sqliteProblem } from "../../src/store/problem.ts";

const at = "2026-03-02T04:11:09.000Z";

function folder(): string {
  return mkdtempSync(join(tmpdir(), "firstfault-"));
}

describe("the SQLite file", () => {
  it("is readable for its owner only, and so are the files beside it and its folder", async () => {
    const data = join(folder(), "data");
    const file = join(data, "firstfault.db");

    const database = await openDatabase({ file });
    await createInbox(database).receive({ team: "T1", id: "Ev1" }, "{}", at);

    expect(statSync(data).mode & 0o777).toBe(0o700);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o777).toBe(0o600);
    await database.close();
  });

  it("waits for every write to reach the disk", async () => {
    const database = await openDatabase({ file: join(folder(), "firstfault.db") });

    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(database.kysely);
    const { rows: mode } = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(database.kysely);

    expect([rows[0]?.synchronous, mode[0]?.journal_mode]).toEqual([2, "wal"]);
    await database.close();
  });

  it("says so when its folder is something else", async () => {
    const taken = join(folder(), "taken");
    writeFileSync(taken, "");

    await expect(openDatabase({ file: join(taken, "firstfault.db") })).rejects.toThrow(
      /cannot be used as a folder.*Set FIRSTFAULT_DATA to a folder/s,
    );
  });

  it.skipIf(process.getuid?.() === 0)("says so when its folder is read-only", async () => {
    const data = folder();
    chmodSync(data, 0o500);

    await expect(openDatabase({ file: join(data, "firstfault.db") })).rejects.toThrow(
      /cannot be written.*Make .* writable/s,
    );
  });

  it("says so when no folder can be made there", async () => {
    await expect(openDatabase({ file: "/proc/firstfault/firstfault.db" })).rejects.toThrow(
      /cannot be written.*set FIRSTFAULT_DATA/s,
    );
  });

  it("says so when the file is a folder", async () => {
    const file = join(folder(), "firstfault.db");
    mkdirSync(file);

    await expect(openDatabase({ file })).rejects.toThrow(/\[store\]/);
  });

  it("says so when the file is no database", async () => {
    const file = join(folder(), "firstfault.db");
    writeFileSync(file, "this is a text, not a database\n".repeat(100));

    await expect(openDatabase({ file })).rejects.toThrow(/not a database of firstfault.*Put back a backup/s);
  });

  it("says so when the disk is full, and still reads what it has", async () => {
    const database = await openDatabase({ file: join(folder(), "firstfault.db") });
    const inbox = createInbox(database);
    await inbox.receive({ team: "T1", id: "Ev1" }, "{}", at);
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.kysely);
    await sql`pragma max_page_count = ${sql.raw(String((rows[0]?.page_count ?? 0) + 1))}`.execute(database.kysely);

    await expect(inbox.receive({ team: "T1", id: "Ev2" }, "x".repeat(100_000), at)).rejects.toThrow(
      /disk that holds .* is full.*Free some space/s,
    );

    expect(await inbox.leftovers()).toMatchObject([{ team: "T1", id: "Ev1" }]);
    await database.close();
  });

  it("lets a second process wait for the first, and says so when that takes too long", async () => {
    const file = join(folder(), "firstfault.db");
    const database = await openDatabase({ file });
    await sql`pragma busy_timeout = 50`.execute(database.kysely);
    const other = new Libsql(file);
    other.exec("begin immediate");

    await expect(createInbox(database).receive({ team: "T1", id: "Ev1" }, "{}", at)).rejects.toThrow(
      /being written by another process/,
    );

    other.exec("rollback");
    expect(await createInbox(database).receive({ team: "T1", id: "Ev1" }, "{}", at)).toBe(true);
    await database.close();
  });

  it("still has everything that was acknowledged before kill -9", { timeout: 30_000 }, async () => {
    const file = join(folder(), "firstfault.db");

    const acknowledged = await insertUntilKilled(file);

    const database = await openDatabase({ file });
    expect(acknowledged).toBeGreaterThan(20);
    expect((await createInbox(database).leftovers()).length).toBeGreaterThanOrEqual(acknowledged);
    await database.close();
  });
});

describe("a PostgreSQL that cannot be used", () => {
  it("is said to be away, with what to do and without its password", async () => {
    const failed = await openDatabase({ url: "postgres://bot:hunter2@127.0.0.1:1/firstfault" }).catch((error) => error);

    expect(failed.message).toMatch(
      /nothing listens at postgres:\/\/bot@127\.0\.0\.1:1\/firstfault.*correct DATABASE_URL/s,
    );
    expect(failed.message).not.toContain("hunter2");
  });

  it.each([
    [{ code: "28P01" }, "refuses the user or password"],
    [{ code: "3D000" }, "does not exist"],
    [{ code: "42501" }, "may not create tables"],
    [{ code: "ENOTFOUND" }, "has no address"],
    [{ code: "ETIMEDOUT" }, "does not answer"],
    [{ code: "57P01" }, "went away"],
    [{ code: "53100" }, "disk of the database"],
    [{ message: "", errors: [{ code: "ECONNREFUSED" }] }, "nothing listens"],
  ])("is told in an operator's words: %j", (cause, say) => {
    expect(postgresProblem("postgres://bot:hunter2@db/firstfault", cause).message).toContain(say);
  });
});

it.each([
  [{ code: "SQLITE_FULL" }, "is full"],
  [{ code: "ENOSPC" }, "is full"],
  [{ code: "SQLITE_READONLY" }, "cannot be written"],
  [{ code: "SQLITE_CANTOPEN" }, "cannot be written"],
  [{ code: "EROFS" }, "cannot be written"],
])("tells SQLite's %j in an operator's words", (cause, say) => {
  expect(sqliteProblem("/data/firstfault.db", cause).message).toContain(say);
});

it.each([[true], [new Date(0)], [Buffer.from("x")], [{}], [undefined], [["a"]]])(
  "refuses %j as a parameter, which would end the process inside the driver",
  (value) => {
    expect(() => bindable(value)).toThrow(/must be text, a number or null/);
  },
);

/** A process that inserts and prints after each insert; killed in the middle. Plain JavaScript, so that no build is needed. */
function insertUntilKilled(file: string): Promise<number> {
  const libsql = fileURLToPath(new URL("../../node_modules/libsql/index.js", import.meta.url));
  const program = `
    const db = new (require(${JSON.stringify(libsql)}))(${JSON.stringify(file)});
    const insert = db.prepare("insert into inbox (team, id, state, attempts, body, received_at, changed_at) values ('T1', ?, 'received', 0, '{}', '', '')");
    for (let n = 0; ; n++) { insert.run(["Ev" + n]); require("node:fs").writeSync(1, "."); }`;
  return openDatabase({ file })
    .then((database) => database.close())
    .then(
      () =>
        new Promise((resolve) => {
          const child = spawn(process.execPath, ["-e", program]);
          let acknowledged = 0;
          child.stdout.on("data", (chunk: Buffer) => {
            acknowledged += chunk.length;
            if (acknowledged > 20) child.kill("SIGKILL");
          });
          child.on("close", () => resolve(acknowledged));
        }),
    );
}
