// playbooks/ -> Catalog, checked once, then read-only. The built program reads one JSON file, which the build compiled;
// it reads the sources themselves where there is none, or where a source is newer.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Rules } from "./diagnose/rules.ts";
import type { Rule } from "./facts/signature.ts";
import type { Folder } from "./playbook/check.ts";
import type { Problem } from "./playbook/problem.ts";
import type { Playbook } from "./playbook/schema.ts";

export interface Catalog {
  playbooks: ReadonlyMap<string, Playbook>;
  rules: Rules;
  /** Folders that were left out, and why. */
  broken: readonly Broken[];
}

export interface Broken {
  id: string;
  problems: Problem[];
}

/** A folder with everything that `playbook check` has to say about it. */
export interface CheckedFolder {
  folder: Folder;
  /** Absent where a mistake would break it. */
  playbook: Playbook | undefined;
  problems: Problem[];
}

/** What the build writes, so that a start neither checks nor hashes anything. */
interface Compiled {
  playbooks: Playbook[];
  broken: Broken[];
  /** Of the rules. */
  version: string;
}

/** The folder that holds package.json: the program finds its playbooks wherever it is called from. */
const ROOT = packageRoot(dirname(fileURLToPath(import.meta.url)));
export const PLAYBOOKS = join(ROOT, "playbooks");
const COMPILED = join(ROOT, "dist", "playbooks.json");
const TEXTS = join(ROOT, "dist", "playbook-texts.json");

export async function loadCatalog(): Promise<Catalog> {
  const compiled = isCompiled() ? readCompiled() : undefined;
  if (!compiled) return readCatalog(PLAYBOOKS);
  return toCatalog(compiled);
}

/** Is there a compiled file, and is no source newer? */
export function isCompiled(): boolean {
  return existsSync(COMPILED) && existsSync(TEXTS) && !anyNewer(PLAYBOOKS, statSync(COMPILED).mtimeMs);
}

/** From the sources, mistakes and all; loads what a compiled catalog never needs. */
export async function readCatalog(dir: string): Promise<Catalog> {
  return catalogOf(await checkFolders(dir));
}

/** Every folder of `dir` that holds a playbook, or `dir` itself where it is one. */
export async function checkFolders(
  dir: string,
  exponential?: (pattern: string) => string | undefined,
): Promise<CheckedFolder[]> {
  const { checkFolder, openFolder, stepsOf } = await import("./playbook/check.ts");
  const { exponentialShape } = await import("./playbook/exponential.ts");
  const opened = readFolders(dir).map(openFolder);
  // A folder by itself may hand over to its neighbours, and a stranger's folder to ours.
  const around = [isPlaybook(dir) ? dirname(dir) : undefined, PLAYBOOKS].flatMap((place) =>
    place === undefined || place === dir || !existsSync(place) ? [] : readFolders(place).map(openFolder),
  );
  const steps = new Map([...around.reverse(), ...opened].map((one) => [one.folder.id, stepsOf(one)]));
  const checks = { elsewhere: (id: string) => steps.get(id), exponential: exponential ?? exponentialShape };
  return opened.map((one) => {
    const { playbook, problems } = checkFolder(one, checks);
    return { folder: one.folder, problems, playbook: playbook ? { ...playbook, hash: hashOf(playbook) } : undefined };
  });
}

/** Writes what the built program reads; gives the folders left out. */
export async function compileCatalog(): Promise<{ file: string; playbooks: number; broken: Broken[] }> {
  const compiled = settle(await checkFolders(PLAYBOOKS));
  // A program that starts meanwhile reads the old file or the new one, never half of one.
  const fresh = `${COMPILED}.${process.pid}`;
  mkdirSync(dirname(COMPILED), { recursive: true });
  const write = (file: string, content: string | Uint8Array): void => {
    writeFileSync(fresh, content);
    renameSync(fresh, file);
  };
  const texts = compiled.playbooks.map((playbook) => [playbook.id, only(playbook, (name) => LATER.has(name))]);
  const playbooks = compiled.playbooks.map((playbook) => only(playbook, (name) => !LATER.has(name)));
  write(TEXTS, JSON.stringify(Object.fromEntries(texts)));
  write(COMPILED, asAscii(JSON.stringify({ ...compiled, playbooks })));
  return { file: COMPILED, playbooks: compiled.playbooks.length, broken: compiled.broken };
}

/** A catalog of folders just checked; those a mistake would break are left out, and named. */
export function catalogOf(folders: readonly CheckedFolder[]): Catalog {
  return toCatalog(settle(folders));
}

/** The folders just checked, and whatever else a catalog holds. */
export function withOthers(folders: readonly CheckedFolder[], { playbooks, broken }: Catalog): Catalog {
  const fresh = settle(folders);
  const others = [...playbooks.values()].filter(({ id }) => folders.every(({ folder }) => folder.id !== id));
  return toCatalog({ ...fresh, playbooks: [...fresh.playbooks, ...others], broken: [...fresh.broken, ...broken] });
}

function toCatalog({ playbooks, broken, version }: Compiled): Catalog {
  // Of two that know the same line the first speaks: a label of its own says more than "other".
  const specific = [...playbooks].sort((a, b) => Number(a.label === "other") - Number(b.label === "other"));
  const signatures: Rule[] = specific.flatMap(({ id, label, signatures }) =>
    signatures.map((signature) => ({ ...signature, playbook: id, label })),
  );
  return {
    playbooks: new Map(playbooks.map((playbook) => [playbook.id, playbook])),
    rules: later<Rules>({ signatures, version, words: [] }, ["words"], () => ({ words: wordsOf(playbooks) })),
    broken,
  };
}

/** Fields that are made at the first look at any of them. They are enumerable: copies and JSON have them. */
function later<Whole extends object>(whole: Whole, names: Iterable<string>, make: () => Partial<Whole>): Whole {
  let made: Partial<Whole> | undefined;
  for (const name of names) {
    const get = (): unknown => {
      made ??= make();
      return made[name as keyof Whole];
    };
    Object.defineProperty(whole, name, { get, enumerable: true, configurable: true });
  }
  return whole;
}

/** What a program that prints JSON never reads: the sentences, and most of the bytes. */
const LATER = new Set(["texts", "sentences", "chatterSentences", "scripts"]);

function only(playbook: Playbook, wanted: (name: string) => boolean): object {
  return Object.fromEntries(Object.entries(playbook).filter(([name]) => wanted(name)));
}

/** ASCII is read and parsed in half the time. */
function asAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function settle(folders: readonly CheckedFolder[]): Compiled {
  const playbooks = folders.flatMap(({ playbook }) => (playbook ? [playbook] : []));
  return {
    playbooks,
    broken: folders.flatMap(({ folder, playbook, problems }) => (playbook ? [] : [{ id: folder.id, problems }])),
    version: hashOf({ decides: playbooks.map(whatDecides), words: wordsOf(playbooks) }),
  };
}

function wordsOf(playbooks: readonly Playbook[]): Rules["words"] {
  return playbooks.flatMap(({ label, sentences, chatterSentences }) => [
    ...sentences.map((text) => ({ label, text })),
    ...chatterSentences.map((text) => ({ label: "none" as const, text })),
  ]);
}

/** Signatures and steps: with the sentences, all that verdicts and walks depend on. Texts shown to people are left out. */
function whatDecides({ id, label, start, opens, signatures, steps }: Playbook) {
  return { id, label, start, opens, signatures, steps };
}

/** sha256 of the JSON with its keys in order, so that moving a line changes nothing. Choices keep theirs: the first that holds settles. */
export function hashOf(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonical(value)).digest("hex")}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  const ordered = entries.map(
    ([key, member]) => [key, key === "choices" ? canonical(Object.entries(member)) : canonical(member)] as const,
  );
  ordered.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${ordered.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
}

function readCompiled(): Compiled | undefined {
  try {
    const compiled = JSON.parse(readFileSync(COMPILED, "latin1")) as Compiled;
    let texts: Record<string, Playbook> | undefined;
    const textsOf = (id: string): Partial<Playbook> => {
      texts ??= JSON.parse(readFileSync(TEXTS, "utf8")) as Record<string, Playbook>;
      return texts[id] ?? {};
    };
    for (const playbook of compiled.playbooks) later(playbook, LATER, () => textsOf(playbook.id));
    return compiled;
  } catch {
    // Half written by a build that was stopped: the sources tell the same.
    return undefined;
  }
}

function readFolders(dir: string): Folder[] {
  if (isPlaybook(dir)) return [readFolder(dir)];
  const entries = readdirSync(dir, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith("."),
  );
  return entries.map((entry) => readFolder(join(dir, entry.name))).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function isPlaybook(dir: string): boolean {
  return existsSync(join(dir, "playbook.yaml"));
}

function readFolder(path: string): Folder {
  const names = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [relative(path, file).split(sep).join("/"), readFileSync(file, "utf8")] as const);
  files.sort(([a], [b]) => (a < b ? -1 : 1));
  return { id: path.split(sep).filter(Boolean).at(-1) ?? path, path: shown(path), files: Object.fromEntries(files) };
}

/** As short as a person at the project's top folder would write it. */
function shown(path: string): string {
  return path.startsWith(ROOT + sep) ? relative(ROOT, path) : path;
}

/** Whether anything that gets compiled is newer; logs and walks do not. A start may cost few looks at the disk. */
function anyNewer(dir: string, than: number): boolean {
  if (!existsSync(dir)) return false;
  const newer = (path: string): boolean => statSync(path).mtimeMs > than;
  const within = (folder: string): boolean =>
    newer(folder) ||
    readdirSync(folder, { withFileTypes: true }).some((entry) => {
      if (entry.isDirectory()) return entry.name === "scripts" && within(join(folder, entry.name));
      return newer(join(folder, entry.name));
    });
  const folders = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return newer(dir) || folders.some((entry) => within(join(dir, entry.name)));
}

function packageRoot(from: string): string {
  if (existsSync(join(from, "package.json")) || dirname(from) === from) return from;
  return packageRoot(dirname(from));
}
