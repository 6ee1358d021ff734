// Reads a paste for the service: a message's text and its files become the sources of one case.
import { PASTE } from "../case/entry.ts";
import type { Given } from "../case/fresh.ts";
import type { Rules } from "../diagnose/rules.ts";
import { createReading, type Reading } from "./apart.ts";
import { createNaming, sourceName } from "./names.ts";
import { createTurns } from "./turns.ts";
import { type Room, unpack } from "./unpack.ts";
import { type LeftOut, Unreadable, type Why } from "./unreadable.ts";

/** A file that came with a message. */
export interface Attached {
  name: string;
  /** Its bytes, fetched anew at every call. Throws Unreadable where they cannot be had. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface Pasted {
  text: string;
  files: readonly Attached[];
  /** Where Slack has it. */
  message: string;
}

export interface Read {
  given: Given;
  /** What was not read, and why. */
  left: LeftOut[];
}

export type ReadPaste = (pasted: Pasted) => Promise<Read>;

/** How much of one message is read, all its files together and unpacked. */
export const MOST_BYTES = 200_000_000;
const MOST_PARTS = 2000;

/** Readings of files, or of texts as long as one, that run side by side. */
const AT_ONCE = 4;
const LONG = 256 * 1024;

export function createRead(rules: Rules): ReadPaste {
  const turn = createTurns(AT_ONCE);
  return (pasted) =>
    pasted.files.length === 0 && pasted.text.length < LONG ? readPasted(pasted) : turn(() => readPasted(pasted));

  async function readPasted(pasted: Pasted): Promise<Read> {
    const left = new Map<Attached, Why>();
    for (;;) {
      const reading = createReading(rules);
      const notes: LeftOut[] = [];
      const files = pasted.files.filter((file) => !left.has(file));
      try {
        await readAll(reading, { text: pasted.text, files }, notes);
        const given = { ...(await reading.finish()), message: pasted.message };
        return { given, left: [...[...left].map(([{ name }, why]) => leftOut(name, why)), ...notes] };
      } catch (error) {
        reading.stop();
        if (!(error instanceof InFile)) throw error;
        // What was read of it cannot be taken back: all over again, without it.
        left.set(error.file, error.why);
      }
    }
  }
}

/** One file is at fault, and not the reading. */
class InFile extends Error {
  readonly file: Attached;
  readonly why: Why;

  constructor(file: Attached, why: Why) {
    super(why);
    this.file = file;
    this.why = why;
  }
}

type Content = Pick<Pasted, "text" | "files">;

async function readAll(reading: Reading, { text, files }: Content, notes: LeftOut[]): Promise<void> {
  const named = createNaming();
  const room: Room = { bytes: MOST_BYTES, parts: MOST_PARTS };
  // What somebody writes beside a file is read as well; a file alone is a source alone.
  if (text.trim() !== "" || files.length === 0) {
    const name = named(PASTE);
    await reading.push(name, Buffer.from(text));
    await reading.end(name);
  }
  for (const file of files) {
    const noted = new Set<Why>();
    try {
      for await (const part of unpack(file.name, file.bytes(), { room, note: (why) => void noted.add(why) })) {
        const name = named(part.name);
        for await (const chunk of part.bytes) {
          room.bytes -= chunk.length;
          if (room.bytes < 0) throw new Unreadable("too-large");
          await reading.push(name, chunk);
        }
        await reading.end(name);
      }
    } catch (error) {
      throw error instanceof Unreadable ? new InFile(file, error.why) : error;
    }
    notes.push(...[...noted].map((why) => leftOut(file.name, why)));
  }
}

function leftOut(file: string, why: Why): LeftOut {
  return { name: sourceName(file), why };
}
