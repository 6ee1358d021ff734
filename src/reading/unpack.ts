// A file as it was sent -> the texts in it: itself, what a .gz holds, or every log in a .zip, .tar or .tar.gz. Told apart by
// their first bytes, never by their names. Nothing is written to disk, and no size that an archive claims is believed.
import { pipeline, Readable } from "node:stream";
import { createGunzip, createInflateRaw, type Gunzip, type InflateRaw } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { isTar, untar } from "./tar.ts";
import { notText } from "./text.ts";
import { Unreadable, type Why } from "./unreadable.ts";

/** One text, read to its end before the next is asked for. */
export interface Part {
  name: string;
  bytes: AsyncIterable<Uint8Array>;
}

/** What may still be read of a message. Whoever reads a part counts it. */
export interface Room {
  bytes: number;
  parts: number;
}

type Bytes = AsyncIterable<Uint8Array>;

/** Held in memory while its logs are read: a .zip begins at its end. */
const MOST_ZIPPED = 64_000_000;
/** Folders, pictures and logs together, before any is looked at. */
const MOST_LISTED = 20_000;
/** Logs that repeat themselves pack a hundred to one; what is made to burst packs a thousand to one. */
const RATIO = 250;
/** Below this no ratio matters. */
const HARMLESS = 10_000_000;
const CHUNK = 1 << 18;

export interface Unpacking {
  room: Room;
  /** Told what is left out while the rest of the file is read. */
  note(why: Why): void;
}

/** Throws Unreadable where nothing of it is a log, or all of it is more than is read. */
export async function* unpack(name: string, bytes: Bytes, { room, note }: Unpacking): AsyncIterable<Part> {
  const given = await peek(bytes);
  try {
    const { head, all } = given;
    if (head.length === 0) throw new Unreadable("empty");
    if (begins(head, 0x50, 0x4b, 3, 4) || begins(head, 0x50, 0x4b, 5, 6)) yield* fromZip(all, { room, note });
    else yield* fromOne(name, given, { room, note });
  } finally {
    await given.drop();
  }
}

/** A text, or a tar archive; either may be packed. */
async function* fromOne(name: string, given: Peeked, unpacking: Unpacking): AsyncIterable<Part> {
  const inner = await unzippedOnce(given, unpacking.note);
  try {
    if (isTar(inner.head)) yield* fromTar(inner.all, unpacking);
    else yield { name, bytes: known(inner) };
  } finally {
    await inner.drop();
  }
}

async function* fromTar(all: Bytes, { room, note }: Unpacking): AsyncIterable<Part> {
  let found = 0;
  for await (const { name, size, bytes } of untar(all, () => note("cut"))) {
    if (size === 0 || BESIDE_LOGS.test(name.slice(-1000))) continue;
    if (size > room.bytes) throw new Unreadable("too-large");
    if (room.parts === 0) throw new Unreadable("too-many");
    const member = await peek(bytes);
    const text = await asText(member, note).catch(leaveOut);
    if (text) {
      found++;
      room.parts--;
      yield { name, bytes: text };
    } else note("some-left");
    await member.drop();
  }
  if (found === 0) throw new Unreadable("nothing-inside");
}

/** The text itself, or what is packed once in it. */
async function asText(given: Peeked, note: Unpacking["note"]): Promise<Bytes> {
  const inner = await unzippedOnce(given, note);
  try {
    return known(inner);
  } catch (error) {
    await inner.drop();
    throw error;
  }
}

async function unzippedOnce(given: Peeked, note: Unpacking["note"]): Promise<Peeked> {
  if (!begins(given.head, 0x1f, 0x8b)) return given;
  return peek(inflated(given.all, createGunzip({ chunkSize: CHUNK }), note));
}

function known({ head, all }: Peeked): Bytes {
  if (head.length === 0) throw new Unreadable("empty");
  // As Windows' shell writes what is redirected into a file.
  if (begins(head, 0xff, 0xfe)) return decoded(all, "utf-16le");
  if (begins(head, 0xfe, 0xff)) return decoded(all, "utf-16be");
  if (isTar(head) || notText(head)) throw new Unreadable("not-text");
  return all;
}

async function* decoded(all: Bytes, encoding: string): Bytes {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of all) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

async function* fromZip(all: Bytes, { room, note }: Unpacking): AsyncIterable<Part> {
  // Only who sends one waits for this.
  const { fromBufferPromise, getFileNameLowLevel } = await import("yauzl");
  const zipped = await collect(all);
  const broken = (error: Error): never => {
    throw new Unreadable(error.message.includes("encryption") ? "zip-encrypted" : "zip-broken", error);
  };
  // Names stay bytes: a name that climbs out of its folder is no reason to read nothing.
  const zip = await fromBufferPromise(zipped, { decodeStrings: false }).catch(broken);
  if (zip.entryCount > MOST_LISTED) throw new Unreadable("too-many");
  const entries = await listOf(zip).catch(broken);
  const logs = entries
    .map((entry) => ({
      entry,
      name: getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false),
    }))
    .filter(({ entry, name }) => entry.uncompressedSize > 0 && !BESIDE_LOGS.test(name.slice(-1000)))
    .sort((a, b) => byNumber.compare(a.name, b.name));
  if (logs.length > room.parts) throw new Unreadable("too-many");
  if (logs.some(({ entry }) => entry.isEncrypted())) throw new Unreadable("zip-encrypted");
  if (logs.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0) > room.bytes) throw new Unreadable("too-large");

  let found = 0;
  for (const { entry, name } of logs) {
    const member = await peek(unzipped(zip, entry, note)).catch(leaveOut);
    const bytes = member && (await asText(member, note).catch(leaveOut));
    if (bytes) {
      found++;
      room.parts--;
      yield { name, bytes };
    } else note("some-left");
    await member?.drop();
  }
  if (found === 0) throw new Unreadable("nothing-inside");
}

/** One member that is no log takes nothing from the others; one that bursts takes all. */
function leaveOut(error: unknown): null {
  if (error instanceof Unreadable && error.why !== "bomb") return null;
  throw error;
}

/** Folders, what systems and tools put beside logs, and pictures. */
const BESIDE_LOGS =
  /[/\\]$|(?:^|[/\\])(?:\.[^/\\]*|__MACOSX[/\\].*|Thumbs\.db)$|\.(?:png|jpe?g|gif|svg|pdf|pt|pth|bin|safetensors|so|pyc)$/i;

/** Rank 2 before rank 10. */
const byNumber = new Intl.Collator("en", { numeric: true });

async function listOf(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return entries;
}

async function* unzipped(zip: ZipFile, entry: Entry, note: Unpacking["note"]): Bytes {
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false }).catch((error: unknown) => {
    throw new Unreadable("zip-broken", error);
  });
  if (entry.compressionMethod === 0) yield* packed as Bytes;
  else if (entry.compressionMethod === 8) yield* inflated(packed, createInflateRaw({ chunkSize: CHUNK }), note);
  else throw new Unreadable("zip-broken");
}

/** What does not end well is read as far as it goes: a log is often packed while it is still written. */
async function* inflated(packed: Bytes, engine: Gunzip | InflateRaw, note: Unpacking["note"]): Bytes {
  let taken = 0;
  let given = 0;
  async function* counted(): Bytes {
    for await (const chunk of packed) {
      taken += chunk.length;
      yield chunk;
    }
  }
  // Its callback hears of an error only so that nobody else must: whoever reads the engine is thrown it.
  pipeline(Readable.from(counted()), engine, () => {});
  try {
    for await (const chunk of engine as Bytes) {
      given += chunk.length;
      if (given > HARMLESS && given > RATIO * taken) throw new Unreadable("bomb");
      yield chunk;
    }
  } catch (error) {
    if (!isZlibs(error)) throw error;
    if (given === 0) throw new Unreadable("broken", error);
    note("cut");
  }
}

function isZlibs(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}

interface Peeked {
  /** The first bytes, enough to tell what it is. */
  head: Uint8Array;
  all: Bytes;
  /** Lets go of what is not read. */
  drop(): Promise<unknown>;
}

async function peek(bytes: Bytes): Promise<Peeked> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  let more = true;
  while (more && length < 4096) {
    const { done, value } = await iterator.next();
    more = done !== true;
    if (done) break;
    first.push(value);
    length += value.length;
  }
  async function* all(): Bytes {
    yield* first.splice(0);
    if (more) yield* { [Symbol.asyncIterator]: () => iterator };
  }
  const head = Buffer.concat(first).subarray(0, 4096);
  return { head, all: all(), drop: async () => iterator.return?.() };
}

async function collect(bytes: Bytes): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > MOST_ZIPPED) throw new Unreadable("too-large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function begins(bytes: Uint8Array, ...first: number[]): boolean {
  return first.every((byte, at) => bytes[at] === byte);
}
