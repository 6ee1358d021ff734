// A pasted output, tried against the readers: the one that knows most lines reads it, or the answer is that none does.
import type { OutputReader, ReaderId, ReadFacts, ReadProblem, Refusal, Said, ToolReading } from "./output-reader.ts";
import { type OutputText, toOutputText } from "./output-text.ts";
import { OUTPUT_READERS } from "./readers.ts";
import { said } from "./said.ts";
import { findShellFailure } from "./shell-failures.ts";

/** A reading as `firstfault read` prints it. */
export interface OutputReading {
  reader: ReaderId | null;
  status: "read" | "partial" | "refused" | "unrecognised";
  finding: Said;
  facts: ReadFacts;
  problems: ReadProblem[];
}

/** The one reading of a text: by reader `as`, else by whoever knows most of it. `raw` is redacted. Never throws. */
export function readOutput(raw: string, as: ReaderId | null = null): OutputReading {
  const text = toOutputText(raw);
  const knowing = whoKnows(text);
  if (as !== null) return readAs(text, as, knowing);
  const [best, ...others] = knowing;
  if (best) return withOthers(toReading(best.reader, best.reader.read(text)), best, others);
  const failure = findShellFailure(text, OUTPUT_READERS);
  return failure ? refused(failure.reader, failure.refusal, failure.finding, failure.line) : UNRECOGNISED;
}

/** Every reading of a text that holds the outputs of several tools; `first` are the readers that a step names. */
export function readOutputs(raw: string, first: readonly string[]): OutputReading[] {
  const text = toOutputText(raw);
  const named = (id: string): number => (first.includes(id) ? first.indexOf(id) : first.length);
  const knowing = whoKnows(text).sort((a, b) => named(a.reader.id) - named(b.reader.id));
  const readings = knowing.map(({ reader }) => toReading(reader, reader.read(text)));
  if (readings.length > 0) return readings;
  const preferred = [...OUTPUT_READERS].sort((a, b) => named(a.id) - named(b.id));
  const failure = findShellFailure(text, preferred);
  return failure ? [refused(failure.reader, failure.refusal, failure.finding, failure.line)] : [];
}

interface Knowing {
  reader: OutputReader;
  lines: number[];
}

/** Those that know most lines first. */
function whoKnows(text: OutputText): Knowing[] {
  return OUTPUT_READERS.map((reader) => ({ reader, lines: reader.knows(text) }))
    .filter(({ lines }) => lines.length > 0)
    .sort((a, b) => b.lines.length - a.lines.length);
}

function readAs(text: OutputText, as: ReaderId, knowing: readonly Knowing[]): OutputReading {
  const reader = OUTPUT_READERS.find(({ id }) => id === as);
  if (!reader) throw new Error(`there is no output reader "${as}"`);
  if (knowing.some((one) => one.reader === reader)) return toReading(reader, reader.read(text));
  const failure = findShellFailure(text, [reader]);
  if (failure) return refused(reader, failure.refusal, failure.finding, failure.line);
  const other = knowing[0];
  const finding = other
    ? said(
        `This is the output of ${other.reader.command} (reader ${other.reader.id}), not what was asked for. Run: ${reader.command}`,
        `这是 ${other.reader.command} 的输出（读取器 ${other.reader.id}），不是所需的内容。请运行：${reader.command}`,
      )
    : said(
        `No reader knows this text, and it is not what was asked for. Run: ${reader.command}`,
        `没有读取器认得这段文字，它也不是所需的内容。请运行：${reader.command}`,
      );
  return refused(reader, "wrong-tool", finding, other?.lines[0] ?? 1);
}

function toReading(reader: OutputReader, reading: ToolReading): OutputReading {
  if (reading.status === "refused") return refused(reader, reading.refusal, reading.finding, reading.line);
  const problems = reading.status === "partial" ? reading.problems : [];
  return { reader: reader.id, status: reading.status, finding: reading.finding, facts: reading.facts, problems };
}

function refused(reader: OutputReader, refusal: Refusal, finding: Said, line: number): OutputReading {
  const facts = { refusal: { value: refusal, lines: [line] } };
  return { reader: reader.id, status: "refused", finding, facts, problems: [] };
}

/** An output that the best reader read as part of its own is not the rest. */
function withOthers(reading: OutputReading, best: Knowing, others: readonly Knowing[]): OutputReading {
  const rest = others.filter(({ lines }) => lines.some((line) => !best.lines.includes(line)));
  const problems = rest.map(({ reader, lines }) => ({
    line: lines[0] ?? 1,
    say: `from here also what ${reader.command} prints (reader ${reader.id}); to have it read, paste it alone`,
  }));
  return { ...reading, problems: [...reading.problems, ...problems] };
}

const UNRECOGNISED: OutputReading = {
  reader: null,
  status: "unrecognised",
  finding: {
    en: "No reader knows this text.",
    zh: "没有读取器认得这段文字。",
  },
  facts: {},
  problems: [],
};
