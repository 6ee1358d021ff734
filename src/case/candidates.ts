// A diagnosis that somebody called wrong, kept so that an owner can look at it and teach the program. Nothing learns by itself.
import type { Status } from "../diagnose/verdict-type.ts";
import type { LineRef } from "../facts/fact.ts";
import type { Label } from "../facts/signature.ts";
import type { Person } from "./entry.ts";

export interface Candidate {
  team: string;
  case: string;
  by: Person;
  /** ISO 8601 */
  at: string;
  /** Where the text came from: it is forgotten with that message. */
  channel: string;
  message: string | null;
  /** The lines that the verdict pointed at and three around each, redacted. */
  text: string;
  /** 1-based, in `text`. */
  rootLine: number | null;
  was: { label: Label; status: Status; confidence: number } | null;
  /** What it is, as the person says. */
  label: Label;
  /** In the person's own words, redacted; may be empty. */
  words: string;
}

export interface CandidateStore {
  /** One person has one say about one case; the later counts. */
  keep(candidate: Candidate): Promise<void>;
  /** Oldest first. */
  all(): Promise<Candidate[]>;
}

const AROUND = 3;
const MOST_LINES = 200;
/** Of a text in which nothing was pointed at. */
const LAST_LINES = 20;

/** The lines pointed at, with those around them; `texts` are the redacted sources, null where one was too long to keep. */
export function excerpt(
  texts: readonly (string | null)[],
  { lines, root }: { lines: readonly LineRef[]; root: LineRef | null },
): Pick<Candidate, "text" | "rootLine"> {
  const kept: { text: string; source: number; line: number }[] = [];
  for (const [source, text] of texts.entries()) {
    if (text === null) continue;
    const all = text.split("\n");
    const here = lines.filter((at) => at.source === source).map((at) => at.line);
    const near = (line: number): boolean => here.some((at) => Math.abs(at - line) <= AROUND);
    const last = (line: number): boolean => lines.length === 0 && line > all.length - LAST_LINES;
    for (const [index, one] of all.entries())
      if (near(index + 1) || last(index + 1)) kept.push({ text: one, source, line: index + 1 });
  }
  const some = kept.slice(0, MOST_LINES);
  const at = some.findIndex(({ source, line }) => source === root?.source && line === root.line);
  return { text: some.map(({ text }) => text).join("\n"), rootLine: at < 0 ? null : at + 1 };
}
