// Files, folders, .gz and standard input -> chunks, one source after another. Says what is wrong with what it cannot read.
import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { createGunzip } from "node:zlib";
import { type Io, UsageError } from "./io.ts";

export interface GivenSource {
  /** As the verdict names it: the path as given, or the path inside the folder given. */
  name: string;
  /** Where it is a file: for who reads it once more. */
  file?: { path: string; size: number };
  /** Each chunk holds until the next is asked for: the buffer is used again. */
  chunks(): AsyncIterable<Uint8Array>;
}

const CHUNK = 1 << 20;
/** Not logs: pictures, archives, weights, and what tools keep beside logs. */
const NOT_A_LOG =
  /\.(?:png|jpe?g|svg|gif|pdf|zip|tar|tgz|xz|bz2|zst|7z|pt|pth|bin|safetensors|npy|npz|pkl|pickle|distcp|so|o|a|pyc|whl|parquet|arrow|sqlite3?|db|mp4|tfevents.*)$/i;

/** All sources named by `paths`, in a stable order. Throws UsageError where one cannot be read at all. */
export async function findSources(paths: readonly string[], io: Io): Promise<GivenSource[]> {
  const found: GivenSource[] = [];
  for (const path of paths) {
    if (path === "-") found.push({ name: "stdin", chunks: () => bytesOf(io.stdin) });
    else found.push(...(await fromPath(path)));
  }
  return found;
}

async function fromPath(path: string): Promise<GivenSource[]> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(unreadable(path, error));
  });
  if (!info.isDirectory()) return [fileSource(path, path)];
  const names = (await walkFolder(path)).sort(byNumber());
  if (names.length === 0) {
    throw new UsageError(
      `${path} is a folder without logs in it. Name a file, or the folder that holds the logs of the ranks.`,
    );
  }
  return names.map((name) => fileSource(relative(path, name), name));
}

/** Rank 2 before rank 10. */
function byNumber(): (a: string, b: string) => number {
  return new Intl.Collator("en", { numeric: true }).compare;
}

async function walkFolder(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(unreadable(path, error));
  });
  const names: string[] = [];
  for (const entry of entries) {
    const inner = join(path, entry.name);
    if (entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) names.push(...(await walkFolder(inner)));
    // torchrun links its latest attempt; following a link to a file is safe, to a folder it may never end.
    else if (entry.isFile() || (entry.isSymbolicLink() && (await isFileLink(inner)))) {
      if (!NOT_A_LOG.test(entry.name)) names.push(inner);
    }
  }
  return names;
}

async function isFileLink(path: string): Promise<boolean> {
  const [target, link] = await Promise.all([stat(path).catch(() => undefined), lstat(path)]);
  return link.isSymbolicLink() && target?.isFile() === true;
}

function fileSource(name: string, path: string): GivenSource {
  return { name, file: { path, size: sizeOf(path) }, chunks: () => readFile(path) };
}

/** A file that went away is told of when it is read. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** One buffer for all files: a new one for each chunk would wait for the garbage collector by the hundred. */
const buffer = Buffer.allocUnsafe(CHUNK);

/** Reads in place: a folder of thousands of small files spends more time on waiting for reads than on them. */
export async function* readFile(path: string): AsyncIterable<Uint8Array> {
  try {
    if (path.endsWith(".gz")) return yield* unzipped(path);
    const file = openSync(path, "r");
    try {
      for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) yield buffer.subarray(0, read);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new UsageError(unreadable(path, error as NodeJS.ErrnoException));
  }
}

async function* unzipped(path: string): AsyncIterable<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: CHUNK });
  const stream = file.pipe(createGunzip());
  // An error of the file does not reach the pipe's end by itself.
  file.on("error", (error) => stream.destroy(error));
  for await (const chunk of stream) yield chunk as Uint8Array;
}

async function* bytesOf(stdin: AsyncIterable<Uint8Array | string>): AsyncIterable<Uint8Array> {
  for await (const chunk of stdin) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

function unreadable(path: string, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "ENOENT":
      return `there is no file or folder ${path}. Check the path; "-" reads standard input.`;
    case "EACCES":
    case "EPERM":
      return `${path} may not be read by this user. Give read rights, or paste its text to "firstfault diagnose -".`;
    case "EISDIR":
      return `${path} is a folder where a file was expected.`;
    case "Z_DATA_ERROR":
    case "Z_BUF_ERROR":
      return `${path} is no whole gzip file (${error.message}). Copy it again, or unpack what there is with "gzip -dc".`;
    default:
      return `${path} could not be read: ${error.message}.`;
  }
}
