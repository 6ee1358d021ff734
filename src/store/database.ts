// Opens the database: a SQLite file through libsql, or PostgreSQL. The only file that knows the drivers.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { type Dialect, Kysely, Migrator, PostgresDialect, type SqliteDatabase, SqliteDialect, sql } from "kysely";
import { withBindableParameters } from "./bindable.ts";
import { MIGRATIONS } from "./migrations/list.ts";
import { postgresProblem, type StoreProblem, sqliteProblem, withoutPassword } from "./problem.ts";
import type { Tables } from "./tables.ts";

export interface Database {
  kysely: Kysely<Tables>;
  /** For the line at start: which database, without a password. */
  name: string;
  /** Does the work; its failures come out in an operator's words, as a StoreProblem. */
  told<T>(work: () => Promise<T>): Promise<T>;
  /** Fails where it cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type Where = { file: string } | { url: string };

/** Opens, and brings the tables up to date. Every failure is a StoreProblem. */
export async function openDatabase(where: Where): Promise<Database> {
  return "url" in where ? openPostgres(where.url) : openSqlite(where.file);
}

async function openSqlite(file: string): Promise<Database> {
  const problem = (cause: unknown) => sqliteProblem(file, cause);
  try {
    makePrivate(file);
    const { default: Libsql } = await import("libsql");
    const driver = new Libsql(file, { timeout: 5000 } as object);
    driver.exec("PRAGMA journal_mode = WAL");
    driver.exec("PRAGMA synchronous = FULL");
    const kysely = new Kysely<Tables>({
      dialect: withBindableParameters(new SqliteDialect({ database: driver as unknown as SqliteDatabase })),
    });
    await migrate(kysely);
    return {
      kysely,
      name: `sqlite ${file}`,
      told: telling(problem),
      ping: () => ping(kysely),
      close: () => kysely.destroy(),
    };
  } catch (cause) {
    throw problem(cause);
  }
}

/** SQLite makes its files readable for all, and the log and index beside it take the same mode: so we make it first. */
function makePrivate(file: string): void {
  makeFolder(dirname(file));
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
}

/** Not `recursive`: on file systems that refuse new folders with ENOENT (/proc) Node 20 tries for ever. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

async function openPostgres(url: string): Promise<Database> {
  const problem = (cause: unknown) => postgresProblem(url, cause);
  try {
    const { default: pg } = await import("pg");
    const pool = new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 10_000 });
    // A connection that dies while idle must not end the process; the next query says what is wrong.
    pool.on("error", () => {});
    const dialect: Dialect = new PostgresDialect({ pool });
    const kysely = new Kysely<Tables>({ dialect: withBindableParameters(dialect) });
    try {
      const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(kysely);
      // Kysely's look at the tables binds booleans, which this driver takes; our own queries never do.
      await migrate(new Kysely<Tables>({ dialect }), rows[0]?.name);
    } catch (cause) {
      await kysely.destroy();
      throw cause;
    }
    return {
      kysely,
      name: withoutPassword(url),
      told: telling(problem),
      ping: () => ping(kysely),
      close: () => kysely.destroy(),
    };
  } catch (cause) {
    throw problem(cause);
  }
}

async function ping(kysely: Kysely<Tables>): Promise<void> {
  await kysely.selectFrom("cases").select("id").limit(1).execute();
}

function telling(problem: (cause: unknown) => StoreProblem): Database["told"] {
  return async (work) => {
    try {
      return await work();
    } catch (cause) {
      throw problem(cause);
    }
  };
}

/** Without the schema Kysely takes a migration table of another schema for its own. */
async function migrate(kysely: Kysely<Tables>, migrationTableSchema?: string): Promise<void> {
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => MIGRATIONS },
    ...(migrationTableSchema ? { migrationTableSchema } : {}),
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}
