// Labelled pastes: finds labels.jsonl, reads its keys, and says what is wrong with a line that cannot be used.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "./io.ts";

export interface Labelled {
  id: string;
  /** A file, or a folder that is one case of several sources. */
  path: string;
  primary: string;
  also: string[];
  secondary: string[];
  rootLines: { file?: string; line: number }[];
  evidence: Record<string, unknown>;
  /** How it was read when it was new, before anything was mended. */
  firstRun: FirstRun | null;
  /** Where its label stands. */
  labelFile: string;
}

export interface FirstRun {
  evidence: string;
  right: boolean;
}

/** A label among `also` counts as the primary. */
export function labelIsRight({ primary, also }: Labelled, label: string): boolean {
  return label === primary || also.includes(label);
}

export async function findLabelled(dir: string): Promise<Labelled[]> {
  const info = await stat(dir).catch(() => undefined);
  if (!info?.isDirectory()) throw new UsageError(`${dir} is no folder. Name the folder that holds labels.jsonl.`);
  const files = await findFiles(dir);
  if (files.length === 0) throw new UsageError(`there is no labels.jsonl in ${dir} or below it.`);
  const cases: Labelled[] = [];
  for (const file of files.sort()) cases.push(...(await readLabels(file)));
  return cases;
}

async function findFiles(dir: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) found.push(...(await findFiles(join(dir, entry.name))));
    else if (entry.name === "labels.jsonl") found.push(join(dir, entry.name));
  }
  return found;
}

async function readLabels(file: string): Promise<Labelled[]> {
  const cases: Labelled[] = [];
  const text = await readFile(file, "utf8");
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    let row: Record<string, unknown>;
    try {
      row = JSON.parse(line);
    } catch (error) {
      throw new UsageError(`${file}:${index + 1} is no JSON: ${(error as Error).message}`);
    }
    if (row.reader !== undefined) continue;
    if (typeof row.file !== "string" || typeof row.primary !== "string") {
      throw new UsageError(`${file}:${index + 1} needs "file" and "primary".`);
    }
    cases.push({
      id: String(row.id ?? row.file),
      path: join(file, "..", row.file),
      primary: row.primary,
      also: strings(row.also),
      secondary: strings(row.secondary),
      rootLines: rootLines(row.root_lines ?? row.root_line),
      evidence: (row.evidence as Record<string, unknown>) ?? {},
      firstRun: (row.first_run as FirstRun | undefined) ?? null,
      labelFile: file,
    });
  }
  return cases;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : typeof value === "string" ? [value] : [];
}

function rootLines(value: unknown): Labelled["rootLines"] {
  const all = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
  return all.flatMap((one) => {
    if (typeof one === "number") return [{ line: one }];
    const { file, line } = one as { file?: string; line?: number };
    return typeof line === "number" ? [{ line, ...(file === undefined ? {} : { file }) }] : [];
  });
}
