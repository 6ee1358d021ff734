// push(chunk), finish(): the one way text comes in. One pass; memory does not grow with the text.
import { compileCandidates } from "./candidates.ts";
import { createFinds, type Finds } from "./finds.ts";
import { type Line, parseLine } from "./lines.ts";
import type { Rules } from "./rules.ts";
import { createSplitter, type Splitter } from "./splitter.ts";
import { type Found, judge } from "./verdict.ts";
import type { Verdict } from "./verdict-type.ts";

export interface Reader {
  /** Text of the source `name`, in any pieces. A source that has ended takes no more. */
  push(name: string, chunk: Uint8Array | string): void;
  /** No more of this source; frees what was held of it. `finish` ends what is left. */
  end(name: string): void;
  /** Any text at all gives a verdict. `by`: another judge than the usual one. */
  finish(by?: (found: Found) => Verdict): Verdict;
}

interface Source {
  name: string;
  splitter: Splitter;
  flush(): void;
  ended: boolean;
}

/** What the whole text is judged by where no machine line decides: its first lines, as given. */
export interface Sample {
  lines: { source: number; line: number; text: string }[];
  /** False where the text went on. */
  whole: boolean;
}

const SAMPLE_BYTES = 262_144;
/** Of a source that comes after so much text. */
const SHORT_HEAD = 4_096;

const compiled = new WeakMap<Rules, ReturnType<typeof compileCandidates>>();

export function createReader(rules: Rules): Reader {
  const candidates = compiled.get(rules) ?? compileCandidates(rules.signatures);
  compiled.set(rules, candidates);
  const interest = candidates.interest();
  const finds = createFinds(candidates, interest.enough);
  const sources = new Map<string, Source>();
  const sample: Sample = { lines: [], whole: true };
  let sampled = 0;

  function keepSample(source: number, line: number, text: string): void {
    if (sampled > SAMPLE_BYTES) {
      sample.whole = false;
      return;
    }
    sampled += text.length + 1;
    sample.lines.push({ source, line, text });
  }

  function open(name: string): Source {
    const index = sources.size;
    let named = rankInName(name);
    const attempt = /(?:^|[/\\])attempt_(\d{1,3})[/\\]/.exec(name)?.[1];
    if (attempt !== undefined) finds.attempts.named(index, Number(attempt));
    let width = 0;
    let wrapped: { number: number; text: string } | null = null;

    function tell(number: number, text: string): boolean {
      let more = false;
      for (const part of parts(text)) {
        const line = parseLine(index, number, part);
        for (const inner of line.raw.includes("\n") ? line.raw.split("\n") : [null]) {
          const one = inner === null ? line : { ...parseLine(index, number, inner), ...outer(line) };
          one.rank ??= named;
          more = finds.look(one);
        }
      }
      return more;
    }

    function look(number: number, text: string): boolean {
      keepSample(index, number, text);
      if (width === 0) return tell(number, text);
      if (wrapped) wrapped.text += text;
      else wrapped = { number, text };
      if (text.length === width && wrapped.text.length < 16_384) return true;
      const whole = wrapped;
      wrapped = null;
      return tell(whole.number, whole.text);
    }

    const splitter = createSplitter({
      sieve: interest.sieve,
      bits: interest.bits,
      headBytes: sampled < SAMPLE_BYTES ? SAMPLE_BYTES : SHORT_HEAD,
      sink: {
        head: (lines) => {
          width = wrapWidth(lines);
          // A file named after one rank that holds several tells of them all.
          if (named !== null && holdsOther(lines, named)) named = null;
        },
        look,
        mayWantNumbers: () => finds.series.mayFollow(index),
        wantsNumbers: () => finds.series.follows(index),
      },
    });
    return {
      name,
      splitter,
      flush: () => {
        splitter.end();
        if (wrapped) tell(wrapped.number, wrapped.text);
        wrapped = null;
      },
      ended: false,
    };
  }

  function sourceOf(name: string): Source {
    const found = sources.get(name) ?? open(name);
    sources.set(name, found);
    return found;
  }

  function end(name: string): void {
    const source = sourceOf(name);
    if (source.ended) return;
    source.ended = true;
    source.flush();
  }

  return {
    push(name, chunk) {
      const source = sourceOf(name);
      if (!source.ended) source.splitter.push(typeof chunk === "string" ? Buffer.from(chunk, "utf8") : chunk);
    },
    end,
    finish(by = judge) {
      for (const name of sources.keys()) end(name);
      const all = [...sources.values()];
      return by({
        finds: finds satisfies Finds,
        sample,
        rules,
        input: {
          sources: all.map((source) => source.name),
          lines: sum(all.map((source) => source.splitter.lines)),
          bytes: sum(all.map((source) => source.splitter.bytes)),
          cut_lines: sum(all.map((source) => source.splitter.cut)),
        },
      });
    },
  };
}

/** A progress bar rewrites its line: each rewriting is a text of its own. */
function parts(text: string): string[] {
  return text.includes("\r") ? text.split("\r").filter((part) => part !== "") : [text];
}

/** What the outside of a JSON line knows and a line inside it does not. */
function outer(line: Line): Partial<Line> {
  const known: Partial<Line> = { times: line.times };
  if (line.rank !== null) known.rank = line.rank;
  if (line.host !== null) known.host = line.host;
  return known;
}

/**
 * The terminal's width, where lines were broken at it; 0 where they were not. Hard-wrapped text has no line longer than
 * the width, the lines that reach it are many, and what follows one goes on in the middle of it.
 */
export function wrapWidth(lines: readonly string[]): number {
  let longest = 0;
  for (const line of lines) if (line.length > longest) longest = line.length;
  if (longest < 60 || longest > 400) return 0;
  let full = 0;
  let goesOn = 0;
  for (const [index, line] of lines.entries()) {
    if (line.length !== longest || /^[-=*+#|_ ─═│┃]+$|[|│┃+]$/.test(line)) continue;
    const next = lines[index + 1];
    if (next === undefined || next === "") continue;
    full += 1;
    if (!beginsAnew(next, line)) goesOn += 1;
  }
  return goesOn >= 3 && goesOn * 10 >= full * 7 && full * 8 >= lines.length ? longest : 0;
}

/** A line with a prefix of its own, or one that begins as the line before it does. */
function beginsAnew(next: string, before: string): boolean {
  if (next.slice(0, 3) === before.slice(0, 3)) return true;
  const parsed = parseLine(0, 0, next);
  return parsed.text.length !== parsed.raw.length;
}

/** `rank_37.log`, `rank-37.err`, `37/stderr.log`, `attempt_0/37/stdout.log`: the rank a file is named after. */
function rankInName(name: string): number | null {
  const path = name.replaceAll("\\", "/");
  const match =
    // At the head of a name or at its end: "lora-rank-16-vs-8.log" tells of something else.
    /(?:^|\/)rank[_.-]?(\d{1,6})(?:[_./]|$)/i.exec(path) ??
    /[_.-]rank[_.-]?(\d{1,6})(?:\.[a-z]{2,6}){0,3}$/i.exec(path) ??
    /\/(\d{1,6})\/std(?:err|out)(?:\.log|\.txt)?(?:\.gz)?$/.exec(path) ??
    /(?:^|\/)(?:log|out|err|stderr|stdout|slurm-\d+)[_.-](\d{1,5})(?:\.(?:log|txt|out|err))?(?:\.gz)?$/i.exec(path);
  return match ? Number(match[1]) : null;
}

/** PyTorch's own prefix is the only one that always is the global rank. */
function holdsOther(lines: readonly string[], rank: number): boolean {
  return lines.some((line) => {
    const printed = /\[rank(\d{1,6})\]:/.exec(line)?.[1];
    return printed !== undefined && Number(printed) !== rank;
  });
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
