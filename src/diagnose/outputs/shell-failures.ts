// What the shell says instead of a tool's output: the program is not there, or may not run.
import type { OutputReader, Refusal, Said } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { said } from "./said.ts";

export interface ShellFailure {
  reader: OutputReader;
  refusal: Refusal;
  finding: Said;
  line: number;
}

const NOT_FOUND: readonly RegExp[] = [
  /^(?:[\w./-]{1,60}: )?(?:line \d{1,6}: |\d{1,6}: )?(?<what>[\w./+-]{1,200}): (?:command )?not found$/,
  /^(?:-?\w{1,10}: )?command not found: (?<what>[\w./+-]{1,200})/,
  /^(?:[\w./-]{1,60}: )?(?:line \d{1,6}: |\d{1,6}: )?(?:cannot access |can't open file |cannot open |error: Could not open file )?['"‘]?(?<what>[^'"’:]{1,300})['"’]?(?: for reading)?: (?:\[Errno 2\] )?No such file or directory$/,
  /^exec: "(?<what>[^"]{1,200})": executable file not found/,
  /(?:execvp|execve)\(\)?:? (?<what>[\w./+-]{1,200}): No such file or directory$/,
];
const DENIED: readonly RegExp[] = [
  /^(?:[\w./-]{1,60}: )?(?:line \d{1,6}: |\d{1,6}: )?(?:cannot open (?:directory )?)?['"‘]?(?<what>[^'"’:]{1,300})['"’]?: (?:Permission denied|Operation not permitted)$/,
  /^sudo: (?:\d+ incorrect|a password is required|a terminal is required|sorry|no tty)/,
  /^\S{1,40} is not in the sudoers file/,
];

/**
 * The first line on which the shell, or a tool as basic as cat, says that it could not run or open what a reader reads.
 * Whose it is: what was typed above it, else what the line itself names; `preferred` readers are asked first.
 */
export function findShellFailure(text: OutputText, readers: readonly OutputReader[]): ShellFailure | null {
  let typed = "";
  for (const line of text.lines) {
    if (line.command) {
      typed = line.text;
      continue;
    }
    const failure = failureOf(line.text.trim());
    if (!failure) continue;
    const about = [innermost(typed), typed, line.text.trim(), failure.what].filter((one) => one !== "");
    const reader = about.map((one) => readers.find((candidate) => candidate.owns(one))).find(Boolean);
    if (reader) return { reader, ...sayFailure(failure, reader), line: line.line };
  }
  return null;
}

/** What a command runs elsewhere: `kubectl exec trainer-0 -- ncclras -v` is about ncclras. */
function innermost(typed: string): string {
  const run =
    /^(?:kubectl exec .{1,200}? -- |docker exec (?:-\S{1,40} ){0,6}\S{1,80} |ssh (?:-\S{1,40} ){0,6}\S{1,80} |pdsh .{0,80}?-w ?\S{1,200} )(.+)$/;
  return run.exec(typed)?.[1]?.replace(/^['"]/, "") ?? "";
}

function failureOf(line: string): { refusal: "not-found" | "permission"; what: string } | null {
  for (const [refusal, patterns] of [["not-found", NOT_FOUND] as const, ["permission", DENIED] as const]) {
    for (const pattern of patterns) {
      const found = pattern.exec(line);
      if (found) return { refusal, what: found.groups?.what ?? "" };
    }
  }
  return null;
}

function sayFailure({ refusal, what }: { refusal: "not-found" | "permission"; what: string }, reader: OutputReader) {
  const it = what || reader.command;
  const finding =
    refusal === "not-found"
      ? said(
          `${it} was not found, so nothing was read. Run: ${reader.command}`,
          `找不到 ${it}，没有读到任何内容。请运行：${reader.command}`,
        )
      : said(
          `Permission denied for ${it}, so nothing was read. With the rights for it, run: ${reader.command}`,
          `没有权限访问 ${it}，没有读到任何内容。请用有权限的账号运行：${reader.command}`,
        );
  return { refusal, finding };
}
