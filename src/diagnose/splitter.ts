// Bytes in any pieces -> numbered lines. The beginning of each source is looked at line by line; after that only the
// lines that hold a literal are cut out and decoded, the rest is counted.
import type { Candidates } from "./candidates.ts";

/** A line longer than this keeps its head and its tail. */
const LONGEST_LINE = 32_768;
const KEEP = LONGEST_LINE / 2;
/** So much of each source is read line by line, to learn its width and its columns. */
const HEAD_BYTES = 262_144;

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
}

/** Memory does not grow with the text: at most the head, one chunk and one line are held. */
export function createSplitter(candidates: Candidates, sink: LineSink): Splitter {
  let head: string[] | null = [];
  let headSize = 0;
  let begun = "";
  let begunTail = "";
  let begunLength = 0;
  let lines = 0;
  let bytes = 0;
  let cut = 0;
  let wantNext = false;

  function whole(latin1: string): string {
    if (latin1.length <= LONGEST_LINE) return latin1;
    cut += 1;
    return `${latin1.slice(0, KEEP)} ${latin1.slice(-KEEP)}`;
  }

  function look(number: number, latin1: string): void {
    wantNext = sink.look(number, decode(latin1));
  }

  function flushHead(): void {
    if (!head) return;
    const kept = head;
    head = null;
    sink.head(kept.map(decode));
    for (const [index, text] of kept.entries()) look(index + 1, text);
  }

  /** A line that came whole or was put together from pieces. */
  function single(latin1: string): void {
    lines += 1;
    if (head) {
      head.push(latin1);
      headSize += latin1.length + 1;
      if (headSize >= HEAD_BYTES) flushHead();
      return;
    }
    candidates.any.lastIndex = 0;
    if (wantNext || candidates.any.test(latin1)) look(lines, latin1);
  }

  /** Whole lines, each with its end. Past the head, only those with a literal are cut out. */
  function block(text: string): void {
    let at = 0;
    while (at < text.length && (head || wantNext)) {
      const end = text.indexOf("\n", at);
      single(whole(text.slice(at, end)));
      at = end + 1;
    }
    const { any } = candidates;
    any.lastIndex = at;
    while (at < text.length) {
      const hit = any.exec(text);
      const start = hit ? text.lastIndexOf("\n", hit.index) + 1 : text.length;
      at = count(text, at, start);
      if (!hit) return;
      const end = text.indexOf("\n", hit.index);
      const line = whole(text.slice(start, end));
      at = end + 1;
      lines += 1;
      // The literal may stand in what a long line lost.
      any.lastIndex = 0;
      if (line.length === end - start || any.test(line)) look(lines, line);
      while (wantNext && at < text.length) {
        const next = text.indexOf("\n", at);
        single(whole(text.slice(at, next)));
        at = next + 1;
      }
      any.lastIndex = at;
    }
  }

  function count(text: string, from: number, to: number): number {
    let at = from;
    while (at < to) {
      const end = text.indexOf("\n", at);
      if (end - at > LONGEST_LINE) cut += 1;
      lines += 1;
      at = end + 1;
    }
    return to;
  }

  function begin(piece: string): void {
    if (begunLength < LONGEST_LINE) begun += piece.slice(0, LONGEST_LINE - begunLength);
    begunLength += piece.length;
    begunTail = piece.length >= KEEP ? piece.slice(-KEEP) : (begunTail + piece).slice(-KEEP);
  }

  function finishBegun(): string {
    const line = begunLength <= LONGEST_LINE ? begun : `${begun.slice(0, KEEP)} ${begunTail}`;
    if (begunLength > LONGEST_LINE) cut += 1;
    begun = "";
    begunTail = "";
    begunLength = 0;
    return line;
  }

  return {
    push(chunk) {
      bytes += chunk.length;
      let text = latin1Of(chunk);
      const first = text.indexOf("\n");
      if (first < 0) {
        begin(text);
        return;
      }
      if (begunLength > 0) {
        begin(text.slice(0, first));
        single(finishBegun());
        text = text.slice(first + 1);
      }
      const last = text.lastIndexOf("\n") + 1;
      if (last > 0) block(text.slice(0, last));
      if (last < text.length) begin(text.slice(last));
    },
    end() {
      if (begunLength > 0) single(finishBegun());
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

function latin1Of(chunk: Uint8Array): string {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
}

/**
 * Bytes that are no UTF-8 become U+FFFD. Always a copy: a piece of the block, kept in a hit, would keep the whole block.
 */
function decode(latin1: string): string {
  const text = Buffer.from(latin1, "latin1").toString("utf8");
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
