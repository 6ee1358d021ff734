// Bytes in any pieces -> numbered lines. The beginning of each source is looked at line by line; after that only the
// lines that hold a literal are cut out and decoded, the rest is counted.
import { LOOK } from "./candidates.ts";
import { createBlock, LONGEST_LITERAL, ROOM, type Sieve, sift } from "./sieve.ts";

/** A line longer than this keeps its head and its tail. */
const LONGEST_LINE = 32_768;
const KEEP = LONGEST_LINE / 2;
/** A literal that is cut stands within so many bytes before the cut. */
const SEAM = LONGEST_LITERAL - 1;

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
  /** May any further line of the source be wanted for its numbers? Once it is false it stays so. */
  mayWantNumbers(): boolean;
  /** Is this line, which holds nothing but numbers of training, worth a look? */
  wantsNumbers(): boolean;
}

export interface SplitterOf {
  /** For what is still of interest, numbers of training or not. Asked for once the head is over. */
  sieve(numbers: boolean): Sieve;
  /** What finding each literal means; may change while reading. */
  bits(): Uint8Array;
  sink: LineSink;
  /** So many bytes are read line by line, to learn the text's width and its columns. */
  headBytes: number;
}

/** What is being searched: all splitters take turns. */
const block = createBlock();

/** Memory does not grow with the text: at most the head, one chunk and one line are held. */
export function createSplitter({ sieve, bits, sink, headBytes }: SplitterOf): Splitter {
  let head: string[] | null = [];
  let headSize = 0;
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

  /** The line is whole: from `from` to `to` is what of it stands in this chunk. */
  function lineEnds(chunk: Buffer, from: number, to: number): void {
    lines += 1;
    const length = begunLength + to - from;
    if (length > LONGEST_LINE) cut += 1;
    if (head) {
      head.push(textOf(chunk.subarray(from, to), length));
      headSize += length + 1;
      if (headSize >= headBytes) flushHead();
    } else if (wantNext || found & LOOK || (found !== 0 && sink.wantsNumbers())) {
      wantNext = sink.look(lines, textOf(chunk.subarray(from, to), length));
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

  /** Searches the line that has begun and what follows of it, for literals that the cut went through too. */
  function siftOn(piece: Buffer): void {
    const before = begunTail.copy(block.bytes, 0, Math.max(0, begunTail.length - SEAM));
    piece.copy(block.bytes, before);
    const length = before + piece.length;
    sift(sieve(sink.mayWantNumbers()), block, length, (literal) => {
      found |= bits()[literal] as number;
      return found & LOOK ? length : 0;
    });
  }

  /** Searches what stands in the block; gives where the line begins that goes on. */
  function siftLines(length: number): number {
    let start = 0;
    let newline = block.bytes.indexOf(10);
    const endsBefore = (place: number): void => {
      while (newline >= 0 && newline < place) {
        lineEnds(block.bytes, start, newline);
        start = newline + 1;
        newline = block.bytes.indexOf(10, start);
      }
    };
    sift(sieve(sink.mayWantNumbers()), block, length, (literal, at) => {
      endsBefore(at);
      found |= bits()[literal] as number;
      if (!(found & LOOK)) return 0;
      // This line is looked at whatever else it holds: on to its end.
      return newline < 0 ? length : newline;
    });
    endsBefore(length);
    return start;
  }

  /** No more than fits into the block. */
  function push(chunk: Buffer): void {
    let start = 0;
    for (let newline = chunk.indexOf(10); head && newline >= 0; newline = chunk.indexOf(10, start)) {
      lineEnds(chunk, start, newline);
      start = newline + 1;
    }
    if (!head && begunLength > 0) {
      const newline = chunk.indexOf(10, start);
      siftOn(chunk.subarray(start, newline < 0 ? chunk.length : newline));
      if (newline >= 0) {
        lineEnds(chunk, start, newline);
        start = newline + 1;
      }
    }
    if (!head && begunLength === 0) {
      const length = chunk.copy(block.bytes, 0, start);
      goesOn(block.bytes.subarray(siftLines(length), length));
    } else goesOn(chunk.subarray(start));
  }

  return {
    push(given) {
      const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      bytes += chunk.length;
      for (let at = 0; at < chunk.length; at += ROOM) push(chunk.subarray(at, at + ROOM));
    },
    end() {
      if (begunLength > 0) lineEnds(Buffer.alloc(0), 0, 0);
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
