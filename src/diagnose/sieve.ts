// Many literals at once over bytes. At every second byte the four bytes that stand there are looked up in a bitmap of
// such pieces, two of each literal; literals are compared only where a piece of theirs stands. Words are read in the byte
// order of x86 and ARM.

export interface Sieve {
  /** One bit for each hash of a piece. */
  filter: Int32Array;
  pieces: Pieces;
  literals: readonly Uint8Array[];
}

/** Pieces with the same hash are a chain: `first[hash]`, then `next[piece]`; 0 ends it. */
interface Pieces {
  first: Uint32Array;
  next: Uint32Array;
  key: Int32Array;
  literal: Uint16Array;
  /** Where the literal begins, as seen from its piece. */
  back: Int16Array;
  count: number;
}

/** Room for bytes that are searched as words. */
export interface Block {
  bytes: Buffer;
  words: Int32Array;
}

/** This literal stands at `at`. Gives the place from which on literals are told again; 0 where none is to be left out. */
export type Tell = (literal: number, at: number) => number;

/** Of a longer literal only so many bytes are searched. */
export const LONGEST_LITERAL = 255;
const SHORTEST = 3;
/** What fits into a block besides the end of the text before it. */
export const ROOM = 65_536;

const HASH = 0x9e3779b1 | 0;
const FILTER_BITS = 19;
const CHAIN_BITS = 16;

export function createBlock(): Block {
  const buffer = new ArrayBuffer(ROOM + 256 + 8);
  return { bytes: Buffer.from(buffer), words: new Int32Array(buffer) };
}

/** Literals have at least three bytes, better four: one of three stands for 512 pieces. */
export function buildSieve(texts: readonly string[]): Sieve {
  const literals = texts.map((text) => Buffer.from(text, "utf8").subarray(0, LONGEST_LITERAL));
  const most = literals.reduce((sum, { length }) => sum + (length > 4 ? 2 : 512), 1);
  const pieces: Pieces = {
    first: new Uint32Array(1 << CHAIN_BITS),
    next: new Uint32Array(most),
    key: new Int32Array(most),
    literal: new Uint16Array(most),
    back: new Int16Array(most),
    count: 0,
  };
  const common = countPieces(literals);
  for (const [number, literal] of literals.entries()) {
    if (literal.length < SHORTEST) throw new Error(`the literal "${texts[number]}" is too short to be searched for`);
    for (const parity of [0, 1]) {
      const from = rarest(literal, parity, common);
      if (from !== undefined) add(pieces, number, keyAt(literal, from), from);
      else
        for (let any = 0; any < 256; any += 1) {
          // Too short to hold a whole piece there: its first three bytes, and whatever stands before or after them.
          if (parity === 1) add(pieces, number, (keyAt(literal, 0) << 8) | any, -1);
          else add(pieces, number, (keyAt(literal, 0) & 0xffffff) | (any << 24), 0);
        }
    }
  }
  return narrow({ filter: new Int32Array(0), pieces, literals }, () => true);
}

/** The same sieve for some of its literals: others may be found, but pieces of theirs alone are passed over. */
export function narrow(sieve: Sieve, wanted: (literal: number) => boolean): Sieve {
  const filter = new Int32Array(1 << (FILTER_BITS - 5));
  const { key, literal, count } = sieve.pieces;
  for (let piece = 1; piece <= count; piece += 1) {
    if (!wanted(literal[piece] as number)) continue;
    const hash = Math.imul(key[piece] as number, HASH) >>> (32 - FILTER_BITS);
    filter[hash >> 5] = (filter[hash >> 5] as number) | (1 << (hash & 31));
  }
  return { filter, pieces: sieve.pieces, literals: sieve.literals };
}

function add(pieces: Pieces, literal: number, key: number, back: number): void {
  pieces.count += 1;
  const piece = pieces.count;
  const hash = Math.imul(key, HASH) >>> (32 - CHAIN_BITS);
  pieces.key[piece] = key;
  pieces.literal[piece] = literal;
  pieces.back[piece] = back;
  pieces.next[piece] = pieces.first[hash] as number;
  pieces.first[hash] = piece;
}

function keyAt(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  return a | (b << 8) | (c << 16) | (d << 24);
}

/** How many literals hold a piece, about: what many of them hold is a common word of logs. */
function countPieces(literals: readonly Uint8Array[]): Uint16Array {
  const common = new Uint16Array(1 << CHAIN_BITS);
  for (const literal of literals)
    for (let at = 0; at + 4 <= literal.length; at += 1) {
      const hash = Math.imul(keyAt(literal, at), HASH) >>> (32 - CHAIN_BITS);
      common[hash] = (common[hash] as number) + 1;
    }
  return common;
}

/** Of the pieces at even, or at odd, places of the literal the one that fewest others hold. */
function rarest(literal: Uint8Array, parity: number, common: Uint16Array): number | undefined {
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let at = parity; at + 4 <= literal.length; at += 2) {
    const many = common[Math.imul(keyAt(literal, at), HASH) >>> (32 - CHAIN_BITS)] as number;
    if (many >= least) continue;
    least = many;
    best = at;
  }
  return best;
}

/**
 * Searches the first `length` bytes of the block. Literals are told in the order of their pieces: never one of an earlier
 * line after one of a later.
 */
export function sift(sieve: Sieve, { bytes, words }: Block, length: number, tell: Tell): void {
  // What stood there before is not seen.
  bytes.fill(0, length, length + 8);
  const end = (length + 4) >> 2;
  /** Literals that begin before it are left out. */
  let from = 0;
  for (let word = next(sieve.filter, words, 0, end); word < end; word = next(sieve.filter, words, word, end)) {
    const at = word * 4;
    const here = words[word] as number;
    const before = word === 0 ? 0 : (words[word - 1] as number);
    from = compare(sieve, bytes, { key: (before >>> 16) | (here << 16), at: at - 2, from, length }, tell);
    from = compare(sieve, bytes, { key: here, at, from, length }, tell);
    word = Math.max(word + 1, from >> 2);
  }
}

/** The first word from `word` on that ends a piece. Runs once for every four bytes of a log. */
function next(filter: Int32Array, words: Int32Array, word: number, end: number): number {
  let before = word === 0 ? 0 : (words[word - 1] as number);
  for (let at = word; at < end; at += 1) {
    const here = words[at] as number;
    const straddling = Math.imul((before >>> 16) | (here << 16), HASH) >>> (32 - FILTER_BITS);
    const whole = Math.imul(here, HASH) >>> (32 - FILTER_BITS);
    const fits = ((filter[straddling >> 5] as number) >> straddling) | ((filter[whole >> 5] as number) >> whole);
    if ((fits & 1) !== 0) return at;
    before = here;
  }
  return end;
}

interface Place {
  key: number;
  at: number;
  from: number;
  length: number;
}

/** Tells every literal that has this piece here; gives the place from which on literals are told. */
function compare({ pieces, literals }: Sieve, bytes: Uint8Array, place: Place, tell: Tell): number {
  const { key, at, length } = place;
  let { from } = place;
  let piece = pieces.first[Math.imul(key, HASH) >>> (32 - CHAIN_BITS)] as number;
  for (; piece !== 0; piece = pieces.next[piece] as number) {
    if (pieces.key[piece] !== key) continue;
    const number = pieces.literal[piece] as number;
    const literal = literals[number] as Uint8Array;
    const begin = at - (pieces.back[piece] as number);
    if (begin < from || begin + literal.length > length) continue;
    let same = 0;
    while (same < literal.length && bytes[begin + same] === literal[same]) same += 1;
    if (same === literal.length) from = Math.max(from, tell(number, begin));
  }
  return from;
}
