// `firstfault candidates export DIR`: the diagnoses that people called wrong, in the form of fixtures/labelled.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Candidate } from "../case/candidates.ts";
import { createCandidateStore } from "../store/candidates.ts";
import { openDatabase } from "../store/database.ts";
import { type Io, UsageError } from "./io.ts";

export async function candidatesCommand(args: string[], io: Io): Promise<number> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
  const [verb, dir, ...others] = positionals;
  if (verb !== "export" || dir === undefined || others.length > 0)
    throw new UsageError("it is called as: firstfault candidates export DIR");
  const database = await openDatabase(
    io.databaseUrl ? { url: io.databaseUrl } : { file: join(io.data, "firstfault.db") },
  );
  try {
    const all = (await createCandidateStore(database).all()).filter(({ text }) => text !== "");
    const rows = all.map((candidate, n) => toRow(candidate, n));
    try {
      mkdirSync(dir, { recursive: true });
      for (const [n, { file }] of rows.entries()) writeFileSync(join(dir, file), `${all[n]?.text}\n`);
      writeFileSync(join(dir, "labels.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    } catch (error) {
      throw new UsageError(`${dir} cannot be written (${(error as Error).message}). Name a folder that can.`);
    }
    io.err(`${rows.length} written to ${dir}; look at each before it becomes a fixture\n`);
    return 0;
  } finally {
    await database.close();
  }
}

/** The keys of fixtures/labelled/README.md; `was` is what the program had said. */
function toRow({ case: id, label, rootLine, words, was }: Candidate, n: number) {
  const name = `candidate-${n + 1}-${id.slice(0, 8)}`;
  return {
    id: name,
    file: `${name}.log`,
    primary: label,
    secondary: [],
    subcause: null,
    root_line: label === "none" ? null : rootLine,
    evidence: {},
    why: words,
    was,
  };
}
