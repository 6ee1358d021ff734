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
  /** The functions those frames are in. */
  calls: string[];
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
  /^(?:\[[\w.-]+\] ?)?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Timeout|Failure|Fault|Abort(?:ed)?)|Exception|KeyboardInterrupt|SystemExit)(?: ?\([^)]{0,40}\))?(?:: ?(.*))?$/;
const FRAME = /^\s{0,80}(?:[│|] ?\s{0,80})?File "([^"]{1,300})", line \d+(?:, in ([\w.<>]{1,120}))?/;
/** In rich's boxes. */
const RICH_FRAME = /^\s{0,8}(\S{1,300}\.py):\d{1,6} in ([\w.<>]{1,120})$/;
const BOXED = /^[│|]\s?(.*?)\s*[│|]?$/;
/** The same, broken at the box's width: the path, its line number and the function may each begin a line. */
const RICH_PART = /^\s{0,8}(?:[/~.]\S{1,300}|\S{1,300}\.py:\d{0,6}(?: in)?)$/;
/** "File ~/env/lib/loader.py:136, in _restore(item, args)": IPython's, with the arguments. */
const IPYTHON_FRAME = /^(?:File )?([~/\w.-]{1,300}\.py)(?::\d{1,6},)? in ([\w.<>]{1,120})(?:\(|$)/;
/** pytest and multiprocessing's tests put it in front of every line of a traceback. */
const MARGIN = /^E {3,}/;
/** The rank that raised, where another one prints what it was told. */
const OF_RANK = /most recent call last\)?:? \(RANK (\d{1,6})\)/;
const CHAINED = /^(?:During handling of the above exception|The above exception was the direct cause)/;

const MOST = 5_000;
const MOST_OPEN = 4_096;

interface Open {
  files: string[];
  calls: string[];
  /** Whose traceback it is, by its head. */
  rank: number | null;
  framed: boolean;
  last: number;
  chained: boolean;
  /** The line of the frame that came last. */
  frameAt: number;
  /** What a box has shown of a frame so far, and on which line. */
  part: { text: string; line: number } | null;
}

export function createTracebacks(): Tracebacks {
  const raised: Raised[] = [];
  const open = new Map<string, Open>();

  function stateOf(line: Line): Open {
    const key = `${line.source}/${line.rank ?? ""}/${line.localRank ?? ""}/${line.host ?? ""}/${line.pid ?? ""}`;
    const found = open.get(key);
    if (found) return found;
    const fresh: Open = {
      files: [],
      calls: [],
      rank: null,
      framed: false,
      last: -1,
      chained: false,
      frameAt: -1,
      part: null,
    };
    if (open.size < MOST_OPEN) open.set(key, fresh);
    return fresh;
  }

  function brokenFrame(text: string, line: Line): RegExpExecArray | null {
    const state = stateOf(line);
    const before = state.part?.line === line.line - 1 ? state.part.text : "";
    const whole = before === "" ? text : `${before}${/^\s*in /.test(text) ? " " : ""}${text.trim()}`;
    const found = before === "" ? null : RICH_FRAME.exec(whole);
    state.part = !found && RICH_PART.test(whole) ? { text: whole.trim().slice(-400), line: line.line } : null;
    return found;
  }

  function look(line: Line): boolean {
    const boxed = BOXED.exec(line.text)?.[1];
    const text = (boxed ?? line.text).replace(MARGIN, "");
    if (text.includes("Traceback (most recent call last)")) {
      const state = stateOf(line);
      const rank = OF_RANK.exec(text)?.[1];
      state.files = [];
      state.calls = [];
      state.rank = rank === undefined ? null : Number(rank);
      state.framed = true;
      return false;
    }
    if (CHAINED.test(text)) {
      stateOf(line).chained = true;
      return false;
    }
    const frame =
      FRAME.exec(text) ??
      RICH_FRAME.exec(text) ??
      IPYTHON_FRAME.exec(text) ??
      (boxed === undefined ? null : brokenFrame(boxed, line));
    if (frame) {
      const state = stateOf(line);
      state.framed = true;
      state.files.push(frame[1] ?? "");
      state.calls.push(frame[2] ?? "");
      state.frameAt = line.line;
      if (state.files.length > 40) {
        state.files.shift();
        state.calls.shift();
      }
      return false;
    }
    if (/^\s{3,}/.test(text) && stateOf(line).frameAt === line.line - 1) return true;
    const match = RAISED.exec(text.trimEnd());
    if (!match?.[1] || raised.length >= MOST) return false;
    const state = stateOf(line);
    raised.push({
      line: state.rank !== null && line.rank === null ? { ...line, rank: state.rank } : line,
      // Two processes wrote the same name into one line.
      type: /^(\w+(?:Error|Exception))\1$/.exec(match[1])?.[1] ?? match[1],
      message: (match[2] ?? "").slice(0, 2_000),
      files: state.files,
      calls: state.calls,
      framed: state.framed,
      after: state.chained ? state.last : -1,
    });
    state.last = raised.length - 1;
    state.files = [];
    state.calls = [];
    state.rank = null;
    state.framed = false;
    state.chained = false;
    return false;
  }

  return { look, all: () => raised };
}
