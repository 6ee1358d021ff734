// `firstfault version`: two verdicts, or two receipts, are comparable where both lines are the same.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Catalog, PLAYBOOKS } from "../catalog.ts";
import { type Io, UsageError } from "./io.ts";

export async function versionCommand(args: string[], io: Io, catalog: () => Catalog): Promise<number> {
  if (args.length > 0) throw new UsageError("version takes nothing.");
  const { version } = JSON.parse(readFileSync(join(dirname(PLAYBOOKS), "package.json"), "utf8")) as { version: string };
  const { rules, playbooks } = catalog();
  io.out(`firstfault ${version}\nrules ${rules.version} (${playbooks.size} playbooks)\n`);
  return 0;
}
