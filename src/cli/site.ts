// `firstfault site DIR`: the web pages as plain files, for any web server or none.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { Catalog } from "../catalog.ts";
import { siteFiles } from "../web/site.ts";
import { type Io, UsageError } from "./io.ts";

export async function siteCommand(args: string[], io: Io, catalog: () => Catalog): Promise<number> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
  const [dir, ...others] = positionals;
  if (dir === undefined || others.length > 0) throw new UsageError("it is called as: firstfault site DIR");
  const { playbooks, broken } = catalog();
  let pages = 0;
  for (const { path, text } of siteFiles(playbooks)) {
    const file = join(dir, path);
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    } catch (error) {
      throw new UsageError(`${file} cannot be written (${(error as Error).message}). Name a folder that can.`);
    }
    pages++;
  }
  io.err(`${pages} pages written to ${dir}; begin at ${join(dir, "index.html")}\n`);
  for (const { id } of broken) io.err(`${id} is left out; firstfault playbook check says why\n`);
  return 0;
}
