// Follows tracebacks through interleaved ranks: which exception came first, what it said, and through which files it went.
import type { Line } from "./lines.ts";

export interface Raised {
  /** The line that names the exception. */
  line: Line;
  /** "RuntimeError", "torch.OutOfMemoryError". */
  type: string;
  message: string;
  /** Files of its frames, outermost first; at most the last 40. */
  files: string[];
  /** False where no traceback stood above it. */
  framed: boolean;
  /** The exception this one was raised from, or while handling; -1 for the first of a chain. */
  after: number;
}

export interface Tracebacks {
  /** True where the line is the source code that a frame shows: it quotes messages, it does not print them. */
  look(line: Line): boolean;
  all(): Raised[];
}

/** The last line of a traceback. Wrapped in a log's own words it begins the text all the same. */
const RAISED =
  /^(?:\[[\w.-]+\] ?)?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Timeout|Failure|Fault|Abort(?:ed)?)|Exception|KeyboardInterrupt|SystemExit)(?:\([^)]{0,40}\))?(?:: ?(.*))?$/;
const FRAME = /^\s{0,80}(?:[│|] ?\s{0,80})?File "([^"]{1,300})", line \d+/;
const BOXED = /^[│|]\s?(.*?)\s*[│|]?$/;
const CHAINED = /^(?:During handling of the above exception|The above exception was the direct cause)/;

const MOST = 5_000;
const MOST_OPEN = 4_096;

interface Open {
  files: string[];
  framed: boolean;
  last: number;
  chained: boolean;
  /** The line of the frame that came last. */
  frameAt: number;
}

export function createTracebacks(): Tracebacks {
  const raised: Raised[] = [];
  const open = new Map<string, Open>();

  function stateOf(line: Line): Open {
    const key = `${line.source}/${line.rank ?? ""}/${line.localRank ?? ""}/${line.host ?? ""}/${line.pid ?? ""}`;
    const found = open.get(key);
    if (found) return found;
    const fresh: Open = { files: [], framed: false, last: -1, chained: false, frameAt: -1 };
    if (open.size < MOST_OPEN) open.set(key, fresh);
    return fresh;
  }

  function look(line: Line): boolean {
    const text = BOXED.exec(line.text)?.[1] ?? line.text;
    if (text.includes("Traceback (most recent call last)")) {
      const state = stateOf(line);
      state.files = [];
      state.framed = true;
      return false;
    }
    if (CHAINED.test(text)) {
      stateOf(line).chained = true;
      return false;
    }
    const file = FRAME.exec(text)?.[1];
    if (file !== undefined) {
      const state = stateOf(line);
      state.framed = true;
      state.files.push(file);
      state.frameAt = line.line;
      if (state.files.length > 40) state.files.shift();
      return false;
    }
    if (/^\s{3,}/.test(text) && stateOf(line).frameAt === line.line - 1) return true;
    const match = RAISED.exec(text.trimEnd());
    if (!match?.[1] || raised.length >= MOST) return false;
    const state = stateOf(line);
    raised.push({
      line,
      // Two processes wrote the same name into one line.
      type: /^(\w+(?:Error|Exception))\1$/.exec(match[1])?.[1] ?? match[1],
      message: (match[2] ?? "").slice(0, 2_000),
      files: state.files,
      framed: state.framed,
      after: state.chained ? state.last : -1,
    });
    state.last = raised.length - 1;
    state.files = [];
    state.framed = false;
    state.chained = false;
    return false;
  }

  return { look, all: () => raised };
}
