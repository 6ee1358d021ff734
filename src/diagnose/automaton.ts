// All literals at once over bytes: an Aho-Corasick automaton as one dense table, one look-up per byte. Ends of lines are
// found by the same walk. Building it takes longer than reading a small log, so it can be packed and kept.

export interface Automaton {
  /** Column of a byte. */
  classes: Uint8Array;
  columns: number;
  /** `next[state * columns + column]` is the next state. */
  next: Uint16Array;
  /** States from here on end a literal, or a line. */
  accepting: number;
  /** What ends at a state: bits of its literals. */
  bits: Uint8Array;
  /** Numbers of the literals that end at a state: `ends[endsAt[state]]` up to `ends[endsAt[state + 1]]`. */
  endsAt: Uint32Array;
  ends: Uint16Array;
  /** Tells which literals it was built of. */
  mark: number;
}

export interface Literal {
  text: string;
  /** What finding it means to the caller. */
  bit: number;
}

const NEWLINE = 10;
const MOST_STATES = 65_536;

interface Node {
  children: Map<number, number>;
  fail: number;
  bits: number;
  ends: number[];
}

/** Throws where the literals need more states than a table of this kind has; a playbook author hears of it at build time. */
export function buildAutomaton(literals: readonly Literal[], lineEnd: number): Automaton {
  const nodes: Node[] = [fresh()];
  const used = new Set<number>([NEWLINE]);
  add(nodes, Uint8Array.of(NEWLINE), { bit: lineEnd, number: -1 });
  for (const [number, literal] of literals.entries()) {
    const bytes = Buffer.from(literal.text, "utf8");
    for (const byte of bytes) used.add(byte);
    add(nodes, bytes, { bit: literal.bit, number });
  }
  if (nodes.length > MOST_STATES)
    throw new Error(`the literals of all signatures need ${nodes.length} states, more than ${MOST_STATES}`);
  return { ...toTable(nodes, linkFailures(nodes), used), mark: markOf(literals) };
}

/** FNV-1a over the literals and their bits: another list has, as good as surely, another mark. */
export function markOf(literals: readonly Literal[]): number {
  let mark = 0x811c9dc5;
  for (const { text, bit } of literals) {
    for (let at = 0; at < text.length; at += 1) mark = Math.imul(mark ^ text.charCodeAt(at), 0x01000193);
    mark = Math.imul(mark ^ (bit + 0x10000), 0x01000193);
  }
  return mark >>> 0;
}

function fresh(): Node {
  return { children: new Map(), fail: 0, bits: 0, ends: [] };
}

function add(nodes: Node[], bytes: Uint8Array, { bit, number }: { bit: number; number: number }): void {
  let at = 0;
  for (const byte of bytes) {
    let next = (nodes[at] as Node).children.get(byte);
    if (next === undefined) {
      next = nodes.length;
      nodes.push(fresh());
      (nodes[at] as Node).children.set(byte, next);
    }
    at = next;
  }
  const node = nodes[at] as Node;
  node.bits |= bit;
  if (number >= 0) node.ends.push(number);
}

/** Breadth first, so that a node's failure is complete before the node is. Returns that order. */
function linkFailures(nodes: Node[]): number[] {
  const order = [0];
  for (const at of order) {
    for (const [byte, child] of (nodes[at] as Node).children) {
      order.push(child);
      if (at === 0) continue;
      let fail = (nodes[at] as Node).fail;
      while (fail !== 0 && !(nodes[fail] as Node).children.has(byte)) fail = (nodes[fail] as Node).fail;
      const node = nodes[child] as Node;
      node.fail = (nodes[fail] as Node).children.get(byte) ?? 0;
      const suffix = nodes[node.fail] as Node;
      node.bits |= suffix.bits;
      node.ends = node.ends.concat(suffix.ends);
    }
  }
  return order;
}

/** Accepting states get the last numbers, so that one comparison tells them. */
function toTable(nodes: Node[], order: number[], used: Set<number>): Omit<Automaton, "mark"> {
  const classes = new Uint8Array(256);
  for (const [index, byte] of [...used].entries()) classes[byte] = index + 1;
  const columns = used.size + 1;
  const plain = order.filter((at) => (nodes[at] as Node).bits === 0);
  const numbered = [...plain, ...order.filter((at) => (nodes[at] as Node).bits !== 0)];
  const stateOf = new Int32Array(nodes.length);
  for (const [state, at] of numbered.entries()) stateOf[at] = state;
  const next = new Uint16Array(nodes.length * columns);
  for (const at of order) {
    const node = nodes[at] as Node;
    const from = (stateOf[at] as number) * columns;
    if (at !== 0) {
      const fail = (stateOf[node.fail] as number) * columns;
      next.copyWithin(from, fail, fail + columns);
    }
    for (const [byte, child] of node.children) next[from + (classes[byte] as number)] = stateOf[child] as number;
  }
  const bits = Uint8Array.from(numbered, (at) => (nodes[at] as Node).bits);
  const ends = numbered.map((at) => (nodes[at] as Node).ends);
  const endsAt = new Uint32Array(nodes.length + 1);
  for (const [state, own] of ends.entries()) endsAt[state + 1] = (endsAt[state] as number) + own.length;
  return { classes, columns, next, accepting: plain.length, bits, endsAt, ends: Uint16Array.from(ends.flat()) };
}

/** Calls `found` with the number of each literal that stands in the text; the same one may come more than once. */
export function literalsIn(automaton: Automaton, text: string, found: (literal: number) => void): void {
  const { classes, columns, next, accepting } = automaton;
  let state = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) {
      literalsInBytes(automaton, Buffer.from(text, "utf8"), found);
      return;
    }
    state = next[state * columns + (classes[code] as number)] as number;
    if (state >= accepting) tell(automaton, state, found);
  }
}

/** Again from the start: what was found before the first sign beyond ASCII is found again. */
function literalsInBytes(automaton: Automaton, bytes: Uint8Array, found: (literal: number) => void): void {
  const { classes, columns, next, accepting } = automaton;
  let state = 0;
  for (const byte of bytes) {
    state = next[state * columns + (classes[byte] as number)] as number;
    if (state >= accepting) tell(automaton, state, found);
  }
}

function tell({ endsAt, ends }: Automaton, state: number, found: (literal: number) => void): void {
  const last = endsAt[state + 1] as number;
  for (let at = endsAt[state] as number; at < last; at += 1) found(ends[at] as number);
}

const HEADER = 6;

/** As bytes, in the byte order of this machine: a build is made where it runs. */
export function packAutomaton({ classes, columns, next, accepting, bits, endsAt, ends, mark }: Automaton): Uint8Array {
  const header = Uint32Array.of(columns, bits.length, accepting, ends.length, next.length, mark);
  const parts = [header, endsAt, next, ends, classes, bits];
  return Buffer.concat(parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)));
}

/** Views into the bytes, nothing is copied. They must begin at a multiple of four. */
export function unpackAutomaton(packed: Uint8Array): Automaton {
  let at = packed.byteOffset;
  const { buffer } = packed;
  const take = <View>(
    View: new (buffer: ArrayBufferLike, at: number, length: number) => View,
    length: number,
    size: number,
  ): View => {
    const view = new View(buffer, at, length);
    at += length * size;
    return view;
  };
  const [columns = 0, states = 0, accepting = 0, endings = 0, cells = 0, mark = 0] = take(Uint32Array, HEADER, 4);
  const endsAt = take(Uint32Array, states + 1, 4);
  const next = take(Uint16Array, cells, 2);
  const ends = take(Uint16Array, endings, 2);
  const classes = take(Uint8Array, 256, 1);
  const bits = take(Uint8Array, states, 1);
  return { classes, columns, next, accepting, bits, endsAt, ends, mark };
}
