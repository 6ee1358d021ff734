// Runs where a PostgreSQL listens: DATABASE_URL, else the database "test" on this machine. In CI one must.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { obeysTheStoreContract } from "./contract.ts";
import { openAll } from "./open.ts";

const url = process.env.DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/test";
const unreachable = await why(url);
const schemas: string[] = [];

console.info(
  unreachable
    ? `store contract: does NOT run on PostgreSQL (${unreachable})`
    : `store contract: runs on PostgreSQL at ${new URL(url).host}`,
);

it.runIf(unreachable !== null && process.env.CI === "true")("finds a PostgreSQL in CI", () => {
  expect.fail(`no PostgreSQL at ${new URL(url).host}: ${unreachable}. Start one, or set DATABASE_URL.`);
});

describe.skipIf(unreachable !== null)("PostgreSQL", () => {
  afterAll(async () => {
    for (const schema of schemas) await once(`drop schema if exists ${schema} cascade`);
  });

  obeysTheStoreContract(async () => {
    const schema = `firstfault_test_${randomUUID().replaceAll("-", "")}`;
    schemas.push(schema);
    await once(`create schema ${schema}`);
    const own = new URL(url);
    own.searchParams.set("options", `-c search_path=${schema}`);
    return openAll({ url: own.href });
  });
});

async function once(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end().catch(() => {});
  }
}

async function why(address: string): Promise<string | null> {
  if (!URL.canParse(address)) return "DATABASE_URL is no address";
  try {
    await once("select 1");
    return null;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}
