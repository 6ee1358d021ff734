// What an output reader is: a pure function from the text a tool printed to facts and one sentence. It never proposes a fix.
import type { READERS } from "../../facts/catalogue.ts";
import type { FactValue } from "../../facts/fact.ts";
import type { OutputText } from "./output-text.ts";

export type ReaderId = (typeof READERS)[number];

/** Why nothing could be read. */
export type Refusal =
  | "not-found"
  | "permission"
  | "no-device"
  | "no-service"
  | "driver"
  | "usage"
  | "wrong-tool"
  | "needs-flag"
  | "empty"
  | "old-version"
  | "timeout";

/** One line in each language, at most 200 characters, without advice and markup. */
export interface Said {
  en: string;
  zh: string;
}

/** Facts by name, each with the numbers of the lines it was read from. */
export type ReadFacts = Record<string, { value: FactValue; lines: number[] }>;

/** What is missing or cut, and what to paste; in English, as `read --json` prints it. */
export interface ReadProblem {
  line: number;
  say: string;
}

/**
 * `read`: everything needed was there, healthy or not. `partial`: facts hold what is certain, problems what is missing.
 * `refused`: the tool is known, but there is nothing to read.
 */
export type ToolReading =
  | { status: "read"; finding: Said; facts: ReadFacts }
  | { status: "partial"; finding: Said; facts: ReadFacts; problems: ReadProblem[] }
  | { status: "refused"; refusal: Refusal; finding: Said; line: number };

export interface OutputReader {
  id: ReaderId;
  /** The command whose output it reads, as a refusal names it: "nvidia-smi nvlink -s". */
  command: string;
  /** Is this command line one whose output it reads? For the shell's own failures. `sudo` and prompts are gone by then. */
  owns(commandLine: string): boolean;
  /** Numbers of the lines it knows; none where the text is not this tool's. Error messages of the tool itself count. */
  knows(text: OutputText): number[];
  /** Called only where it knows at least one line. */
  read(text: OutputText): ToolReading;
}
