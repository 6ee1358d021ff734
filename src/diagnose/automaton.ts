// All literals at once over bytes: an Aho-Corasick automaton as one dense table, one look-up per byte. Ends of lines are
// found by the same walk.

export interface Automaton {
  /** Column of a byte. */
  classes: Uint8Array;
  /** `next[state + column]`, where a state is its row's offset. */
  next: Int32Array;
  /** States from here on end a literal, or a line. */
  accepting: number;
  /** What ends at a state: bits of its literals. Index: state / columns. */
  bits: Uint8Array;
  /** Numbers of the literals that end at a state. */
  ends: (readonly number[])[];
  columns: number;
}

export interface Literal {
  text: string;
  /** What finding it means to the caller. */
  bit: number;
}

const NEWLINE = 10;

interface Node {
  children: Map<number, number>;
  fail: number;
  bits: number;
  ends: number[];
}

export function buildAutomaton(literals: readonly Literal[], lineEnd: number): Automaton {
  const nodes: Node[] = [fresh()];
  const used = new Set<number>([NEWLINE]);
  add(nodes, Uint8Array.of(NEWLINE), { bit: lineEnd, number: -1 });
  for (const [number, literal] of literals.entries()) {
    const bytes = Buffer.from(literal.text, "utf8");
    for (const byte of bytes) used.add(byte);
    add(nodes, bytes, { bit: literal.bit, number });
  }
  const order = linkFailures(nodes);
  return toTable(nodes, order, used);
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

/** Accepting states get the last rows, so that one comparison tells them. */
function toTable(nodes: Node[], order: number[], used: Set<number>): Automaton {
  const classes = new Uint8Array(256);
  const bytes = [...used];
  for (const [index, byte] of bytes.entries()) classes[byte] = index + 1;
  const columns = bytes.length + 1;
  const plain = order.filter((at) => (nodes[at] as Node).bits === 0);
  const ending = order.filter((at) => (nodes[at] as Node).bits !== 0);
  const row = new Int32Array(nodes.length);
  for (const [index, at] of [...plain, ...ending].entries()) row[at] = index * columns;
  const next = new Int32Array(nodes.length * columns);
  for (const at of order) {
    const node = nodes[at] as Node;
    const from = row[at] as number;
    if (at !== 0) {
      const fail = row[node.fail] as number;
      next.copyWithin(from, fail, fail + columns);
    }
    for (const [byte, child] of node.children) next[from + (classes[byte] as number)] = row[child] as number;
  }
  const bits = new Uint8Array(nodes.length);
  const ends: (readonly number[])[] = [];
  for (const at of order) {
    const index = (row[at] as number) / columns;
    bits[index] = (nodes[at] as Node).bits;
    ends[index] = (nodes[at] as Node).ends;
  }
  return { classes, next, accepting: plain.length * columns, bits, ends, columns };
}

/** Calls `found` with the number of each literal that stands in the text; the same one may come more than once. */
export function literalsIn(automaton: Automaton, text: string, found: (literal: number) => void): void {
  const { classes, next, accepting, ends, columns } = automaton;
  let state = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return literalsInBytes(automaton, Buffer.from(text, "utf8"), found);
    state = next[state + (classes[code] as number)] as number;
    if (state >= accepting) for (const literal of ends[state / columns] as readonly number[]) found(literal);
  }
}

/** Again from the start: what was found before the first sign beyond ASCII is found again. */
function literalsInBytes(
  { classes, next, accepting, ends, columns }: Automaton,
  bytes: Uint8Array,
  found: (literal: number) => void,
): void {
  let state = 0;
  for (const byte of bytes) {
    state = next[state + (classes[byte] as number)] as number;
    if (state >= accepting) for (const literal of ends[state / columns] as readonly number[]) found(literal);
  }
}
