// Bytes in any pieces -> numbered lines. The beginning of each source is looked at line by line; after that only the
// lines that hold a literal are cut out and decoded, the rest is counted.
import type { Automaton } from "./automaton.ts";
import { LINE_END, LOOK } from "./candidates.ts";

/** A line longer than this keeps its head and its tail. */
const LONGEST_LINE = 32_768;
const KEEP = LONGEST_LINE / 2;

export interface Splitter {
  push(chunk: Uint8Array): void;
  /** Call once; afterwards `lines`, `bytes` and `cut` are final. */
  end(): void;
  readonly lines: number;
  readonly bytes: number;
  readonly cut: number;
}

export interface LineSink {
  /** The first lines of the source, all of them, before any is looked at. */
  head(lines: readonly string[]): void;
  /** One line worth a look: 1-based number, text without its end. True asks for the next line too, whatever it holds. */
  look(number: number, text: string): boolean;
  /** Is a line that holds nothing but numbers of training worth a look? */
  wantsNumbers(): boolean;
}

export interface SplitterOf {
  /** Asked for once the head is over. */
  automaton(): Automaton;
  /** What to do where a state of the automaton ends a literal; may change while reading. */
  bits(): Uint8Array;
  sink: LineSink;
  /** So many bytes are read line by line, to learn the text's width and its columns. */
  headBytes: number;
}

/** Memory does not grow with the text: at most the head, one chunk and one line are held. */
export function createSplitter({ automaton, bits, sink, headBytes }: SplitterOf): Splitter {
  let head: string[] | null = [];
  let headSize = 0;
  let state = 0;
  /** Bits of the literals of the line that has begun. */
  let found = 0;
  let wantNext = false;
  /** What came of the line that has begun in earlier chunks: its head, its tail, and how long it is. */
  let begun = Buffer.alloc(0);
  let begunTail = Buffer.alloc(0);
  let begunLength = 0;
  let lines = 0;
  let bytes = 0;
  let cut = 0;

  function flushHead(): void {
    if (!head) return;
    const kept = head;
    head = null;
    sink.head(kept);
    for (const [index, text] of kept.entries()) wantNext = sink.look(index + 1, text);
  }

  /** The line is whole: `piece` is what of it stands in this chunk. */
  function lineEnds(piece: Buffer): void {
    lines += 1;
    const length = begunLength + piece.length;
    if (length > LONGEST_LINE) cut += 1;
    if (head) {
      head.push(textOf(piece, length));
      headSize += length + 1;
      if (headSize >= headBytes) flushHead();
    } else if (wantNext || found & LOOK || (found !== 0 && sink.wantsNumbers())) {
      wantNext = sink.look(lines, textOf(piece, length));
    }
    found = 0;
    if (begunLength > 0) {
      begun = Buffer.alloc(0);
      begunTail = begun;
      begunLength = 0;
    }
  }

  function textOf(piece: Buffer, length: number): string {
    if (begunLength === 0 && length <= LONGEST_LINE) return decode(piece);
    if (length <= LONGEST_LINE) return decode(Buffer.concat([begun, piece]));
    const front =
      begun.length >= KEEP
        ? begun.subarray(0, KEEP)
        : Buffer.concat([begun, piece.subarray(0, KEEP)]).subarray(0, KEEP);
    const back = piece.length >= KEEP ? piece.subarray(-KEEP) : Buffer.concat([begunTail, piece]).subarray(-KEEP);
    return `${decode(front)} ${decode(back)}`;
  }

  /** The chunk is over and the line is not. */
  function goesOn(piece: Buffer): void {
    if (piece.length === 0) return;
    if (begun.length < LONGEST_LINE) begun = Buffer.concat([begun, piece.subarray(0, LONGEST_LINE - begun.length)]);
    begunTail =
      piece.length >= KEEP
        ? Buffer.from(piece.subarray(-KEEP))
        : Buffer.from(Buffer.concat([begunTail, piece]).subarray(-KEEP));
    begunLength += piece.length;
  }

  return {
    push(given) {
      const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      bytes += chunk.length;
      const end = chunk.length;
      let start = 0;
      for (let newline = chunk.indexOf(10); head && newline >= 0; newline = chunk.indexOf(10, start)) {
        lineEnds(chunk.subarray(start, newline));
        start = newline + 1;
      }
      if (head) return goesOn(chunk.subarray(start));
      // Locals, not fields: the loop below runs once for each byte.
      const { classes, next, accepting, columns } = automaton();
      const meaning = bits();
      let at = start;
      let now = state;
      while (at < end) {
        now = next[now * columns + (classes[chunk[at] as number] as number)] as number;
        at += 1;
        if (now < accepting) continue;
        const bit = meaning[now] as number;
        if (bit === LINE_END) {
          lineEnds(chunk.subarray(start, at - 1));
          start = at;
          continue;
        }
        found |= bit;
        if (!(found & LOOK)) continue;
        // This line is looked at whatever else it holds: on to its end.
        const newline = chunk.indexOf(10, at);
        at = newline < 0 ? end : newline;
        now = 0;
      }
      state = now;
      goesOn(chunk.subarray(start));
    },
    end() {
      if (begunLength > 0) lineEnds(Buffer.alloc(0));
      flushHead();
    },
    get lines() {
      return lines;
    },
    get bytes() {
      return bytes;
    },
    get cut() {
      return cut;
    },
  };
}

/** Always a copy: what is kept of a hit must not keep its chunk. Bytes that are no UTF-8 become U+FFFD. */
function decode(piece: Buffer): string {
  const text = piece.toString("utf8");
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
