import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { obeysTheStoreContract } from "./contract.ts";
import { openAll } from "./open.ts";

console.info("store contract: runs on SQLite");

describe("a SQLite file", () => {
  obeysTheStoreContract(() => openAll({ file: join(mkdtempSync(join(tmpdir(), "firstfault-")), "firstfault.db") }));
});
