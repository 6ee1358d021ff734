// What a command may touch of the outside: handed in, so that tests hand in their own.

export interface Io {
  out(text: string): void;
  /** Messages and progress; never part of the answer. */
  err(text: string): void;
  stdin: AsyncIterable<Uint8Array | string>;
  /** Is there a person at both ends? */
  interactive: boolean;
  /** Is the answer going to a terminal? */
  terminal: boolean;
  columns: number;
  color: boolean;
  /** Language where no --lang is given. */
  lang: "en" | "zh";
  /** Folder of a person's own cases (FIRSTFAULT_DATA). */
  data: string;
  databaseUrl: string | null;
  user: string;
  now(): Date;
}

/** Usage or unreadable input: printed as it is, exit code 2. */
export class UsageError extends Error {}

/** The value of --lang, else the language of the terminal. */
export function languageOf(given: string | undefined, io: Io): "en" | "zh" {
  if (given === undefined) return io.lang;
  if (given === "en" || given === "zh") return given;
  throw new UsageError(`--lang knows "en" and "zh", not "${given}".`);
}
