// What a command may touch, for tests: text typed in, text that came out, a folder of its own.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Io } from "../../src/cli/io.ts";

export interface FakeIo extends Io {
  printed: string;
  complained: string;
}

async function* typed(text: string): AsyncIterable<string> {
  // In pieces of a few signs, as a pipe may give them.
  for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
}

export function fakeIo({ stdin = "", ...more }: { stdin?: string } & Partial<Omit<Io, "stdin">> = {}): FakeIo {
  const io: FakeIo = {
    printed: "",
    complained: "",
    out: (text) => {
      io.printed += text;
    },
    err: (text) => {
      io.complained += text;
    },
    stdin: typed(stdin),
    interactive: false,
    terminal: false,
    columns: 100,
    color: false,
    lang: "en",
    data: join(mkdtempSync(join(tmpdir(), "firstfault-")), "data"),
    databaseUrl: null,
    user: "wei",
    now: () => new Date("2026-11-30T09:00:00Z"),
    ...more,
  };
  return io;
}
