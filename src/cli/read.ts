// firstfault read: one pasted output of a tool through one output reader.
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { ReaderId } from "../diagnose/outputs/output-reader.ts";
import { type OutputReading, readOutput } from "../diagnose/outputs/read-output.ts";
import { redact } from "../diagnose/redact.ts";
import { READERS } from "../facts/catalogue.ts";
import type { Language } from "../facts/language.ts";
import { type Io, languageOf, UsageError } from "./io.ts";
import { factsJson } from "./verdict-json.ts";

const OPTIONS = {
  as: { type: "string" },
  json: { type: "boolean", default: false },
  lang: { type: "string" },
} as const;

const MOST_SHOWN = 12;

export async function readCommand(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (positionals.length > 1) throw new UsageError("read takes one file, or - for standard input.");
  const as = values.as === undefined ? null : readerNamed(values.as);
  const lang = languageOf(values.lang, io);
  const text = redact(await textOf(positionals[0] ?? "-", io)).text;
  const reading = readOutput(text, as);
  io.out(values.json ? `${JSON.stringify(toJson(reading))}\n` : render(reading, lang));
  return 0;
}

function toJson(reading: OutputReading): Record<string, unknown> {
  return { schema: "firstfault/reading/v1", ...reading, facts: factsJson(reading.facts, (line) => line) };
}

function readerNamed(id: string): ReaderId {
  const reader = READERS.find((one) => one === id);
  if (!reader) throw new UsageError(`there is no output reader "${id}"; there are: ${READERS.join(", ")}`);
  return reader;
}

async function textOf(file: string, io: Io): Promise<string> {
  if (file !== "-") {
    return readFile(file, "utf8").catch((error: Error) => {
      throw new UsageError(`${file} cannot be read: ${error.message}`);
    });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}

/** The finding, then each fact with its lines, then what is missing. */
function render({ reader, status, finding, facts, problems }: OutputReading, lang: Language): string {
  const rows = Object.entries(facts).map(([name, { value, lines }]) => {
    return `  ${name}  ${Array.isArray(value) ? some(value) : String(value)}  (${some(lines)})`;
  });
  const missing = problems.map(({ line, say }) => `  ${line}: ${say}`);
  return `${[`${reader ?? "-"} ${status}: ${finding[lang]}`, ...rows, ...missing].join("\n")}\n`;
}

/** A person reads a dozen, and wants to know that there are more. */
function some(values: readonly (number | string)[]): string {
  const rest = values.length - MOST_SHOWN;
  return values.slice(0, MOST_SHOWN).join(", ") + (rest > 0 ? `, … (+${rest})` : "");
}
