// Every authoring mistake of a playbook folder, as a list: all at once, each with its place.
// File texts in, problems and the playbook out. Logs and walks are checked from case/, where playbooks meet logs.
import type * as z from "zod";
import { LANGUAGES, type Language } from "../facts/language.ts";
import type { Signature } from "../facts/signature.ts";
import { checkSignatures } from "./check-signatures.ts";
import { checkSteps, type Elsewhere } from "./check-steps.ts";
import { checkTexts } from "./check-texts.ts";
import { deriveLiteral } from "./literal.ts";
import { breaks, type Problem } from "./problem.ts";
import { type Playbook, PlaybookFile, Texts } from "./schema.ts";
import { explain } from "./schema-problem.ts";
import { readSource, type Source } from "./source.ts";

/** A folder as read: `path` as people gave it, texts by their names relative to it. */
export interface Folder {
  id: string;
  path: string;
  files: Readonly<Record<string, string>>;
}

/** A playbook with everything but its hash, which needs node:crypto. */
export type Draft = Omit<Playbook, "hash">;

export interface Checked {
  /** Absent where a mistake would break it. */
  playbook: Draft | undefined;
  problems: Problem[];
}

export interface Checks {
  /** Steps of the other playbooks, for handoffs. */
  elsewhere: Elsewhere;
  /** Why a pattern could take exponential time; undefined where it cannot. */
  exponential: (pattern: string) => string | undefined;
}

/** A folder with its YAML read, once, however often it is asked about. */
export interface Opened {
  folder: Folder;
  main: Source;
  languages: Source[];
}

const MAIN = "playbook.yaml";

export function openFolder(folder: Folder): Opened {
  const open = (name: string): Source => readSource(`${folder.path}/${name}`, folder.files[name] ?? "");
  return { folder, main: open(MAIN), languages: LANGUAGES.map((language) => open(`${language}.yaml`)) };
}

/** The ids of a folder's steps, as far as they can be read, so that other folders' handoffs can be checked. */
export function stepsOf({ main }: Opened): ReadonlySet<string> | undefined {
  const steps = (main.value as { steps?: unknown } | null | undefined)?.steps;
  return steps !== null && typeof steps === "object" ? new Set(Object.keys(steps)) : undefined;
}

export function checkFolder(opened: Opened, checks: Checks): Checked {
  const { folder } = opened;
  const problems: Problem[] = [];
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(folder.id)) {
    problems.push(atTop(folder, "", `a playbook's folder is named in lower-case-with-dashes, not "${folder.id}"`));
  }
  const main = readPart(folder, opened.main, PlaybookFile, problems);
  const languages = opened.languages.map((source) => readPart(folder, source, Texts, problems));
  if (main.value) {
    problems.push(...checkSignatures(main.value, main.source, checks));
    problems.push(
      ...checkSteps({ ...main.value, id: folder.id }, main.source, { folder, elsewhere: checks.elsewhere }),
    );
    problems.push(...checkTexts(main.value, main.source, languages));
    problems.push(...checkFiles(main.value, main.source, folder));
  }
  const [en, zh] = languages;
  problems.sort(byPlace);
  if (!main.value || !en?.value || !zh?.value || problems.some(breaks)) return { playbook: undefined, problems };
  return { playbook: toPlaybook(folder, main.value, { en: en.value, zh: zh.value }), problems };
}

/** A file of the folder with its source; `value` only where the schema holds. */
export interface Part<T> {
  source: Source;
  value: T | undefined;
}

function readPart<T>(folder: Folder, source: Source, schema: z.ZodType<T>, problems: Problem[]): Part<T> {
  const name = source.file.slice(folder.path.length + 1);
  if (folder.files[name] === undefined) {
    const say = `the folder has no ${name}; every playbook has ${MAIN} and one file per language`;
    problems.push(atTop(folder, name, say));
    return { source, value: undefined };
  }
  problems.push(...source.problems);
  if (source.problems.length > 0) return { source, value: undefined };
  const parsed = schema.safeParse(source.value);
  if (parsed.success) return { source, value: parsed.data };
  const explained = parsed.error.issues.flatMap(explain);
  problems.push(...explained.map(({ path, say, part }) => source.problem("schema", path, say, part)));
  return { source, value: undefined };
}

function checkFiles(file: PlaybookFile, source: Source, folder: Folder): Problem[] {
  const problems: Problem[] = [];
  for (const key of ["words", "chatter"] as const) {
    const name = file[key];
    if (name === undefined) continue;
    if (folder.files[name] === undefined) {
      problems.push(source.problem("words", [key], `${key} names "${name}", which is not in the folder`));
    } else if (sentencesOf(folder, name).length === 0) {
      problems.push(source.problem("words", [key], `"${name}" holds no sentence; write one a line`));
    }
  }
  if (file.label === "none") {
    problems.push(source.problem("schema", ["label"], "none is no fault, so it has no playbook; use other"));
  }
  problems.push(...checkStray(file, folder));
  if (file.status === "stable") {
    const logs = Object.keys(folder.files);
    for (const [prefix, least] of [
      ["hit-", 3],
      ["miss-", 2],
    ] as const) {
      const found = logs.filter((name) => name.startsWith(`logs/${prefix}`)).length;
      if (found < least) {
        problems.push(
          source.problem(
            "stable",
            ["status"],
            `stable needs ${least} logs/${prefix}* and there are ${found}; add logs, or say draft`,
          ),
        );
      }
    }
  }
  return problems;
}

/** A file of another name is read by nobody: a log that proves nothing, a script that no step asks for. */
function checkStray(file: PlaybookFile, folder: Folder): Problem[] {
  const scripts = Object.values(file.steps).flatMap(({ script }) =>
    script === undefined ? [] : [`scripts/${script}`],
  );
  const known = [MAIN, ...LANGUAGES.map((language) => `${language}.yaml`), file.words, file.chatter, ...scripts];
  const stray = Object.keys(folder.files).filter(
    (name) => !known.includes(name) && !/^(?:logs\/(?:hit|miss)-[^/]+|walks\/[^/]+\.yaml)$/.test(name),
  );
  return stray.map((name) => ({
    ...atTop(folder, name, "nothing reads this file; logs are logs/hit-* or logs/miss-*, walks are walks/*.yaml"),
    rule: "stray-file" as const,
  }));
}

function toPlaybook(folder: Folder, file: PlaybookFile, texts: Record<Language, Texts>): Draft {
  return {
    ...file,
    id: folder.id,
    signatures: file.signatures.map(withLiteral),
    texts,
    sentences: file.words ? sentencesOf(folder, file.words) : [],
    chatterSentences: file.chatter ? sentencesOf(folder, file.chatter) : [],
    scripts: Object.fromEntries(
      Object.entries(folder.files)
        .filter(([name]) => name.startsWith("scripts/"))
        .map(([name, text]) => [name.slice("scripts/".length), text]),
    ),
  };
}

function withLiteral(signature: Signature): Signature {
  const literal = signature.literal ?? deriveLiteral(signature.pattern);
  return literal === undefined ? signature : { ...signature, literal };
}

function sentencesOf(folder: Folder, name: string): string[] {
  const lines = (folder.files[name] ?? "").split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

function atTop(folder: Folder, name: string, say: string): Problem {
  return { file: name === "" ? folder.path : `${folder.path}/${name}`, line: 1, col: 1, rule: "folder", say };
}

function byPlace(a: Problem, b: Problem): number {
  return a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.col - b.col;
}
