// `eval --first-run`: writes into labels.jsonl how each new case was read before anything was mended for it. Confidence is
// fitted on that. What is recorded once stays.
import { readFile, writeFile } from "node:fs/promises";
import type { FirstRun } from "./labels.ts";
import type { Scored } from "./score.ts";

export async function recordFirstRuns(scored: readonly Scored[]): Promise<void> {
  const files = new Set(scored.map(({ labelled }) => labelled.labelFile));
  for (const file of files) {
    const own = new Map(scored.filter((one) => one.labelled.labelFile === file).map((one) => [one.labelled.id, one]));
    const lines = (await readFile(file, "utf8")).split("\n");
    await writeFile(file, lines.map((line) => withFirstRun(line, own)).join("\n"));
  }
}

/** The line stays as it is written; the key is added at its end. */
function withFirstRun(line: string, scored: ReadonlyMap<string, Scored>): string {
  if (line.trim() === "") return line;
  const row = JSON.parse(line) as { id?: unknown; file?: unknown; first_run?: unknown };
  const one = scored.get(String(row.id ?? row.file));
  if (!one?.verdict || row.first_run !== undefined) return line;
  const firstRun: FirstRun = { evidence: one.verdict.evidence, right: one.right };
  return `${line.trimEnd().slice(0, -1).trimEnd()}, "first_run": ${JSON.stringify(firstRun)}}`;
}
