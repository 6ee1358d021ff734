// Shapes that can take exponential time, found by structure alone: a repeat within a repeat with nothing to tell where
// one ends, and a repeat over ways that begin alike. Careful rather than exact; the tests ask `recheck` as well.
import { type Chars, EVERY, type Node, parsePattern } from "./pattern.ts";

/** Fewer rounds than this are few, whatever they hold. */
const MANY = 10;

/** Why the pattern could take exponential time; undefined where it cannot. */
export function exponentialShape(pattern: string): string | undefined {
  return inSequences(parsePattern(pattern));
}

/**
 * Whether a group is repeated at all: repeats of single characters, however many, take polynomial time at worst, which is
 * harmless as long as a very long line is read head and tail only.
 */
export function repeatsGroup(pattern: string): boolean {
  const within = (node: Node): boolean => {
    if (node.kind === "nothing") return (node.ahead ?? []).flat().some(within);
    if (node.kind === "group") return node.alternatives.flat().some(within);
    if (node.kind !== "repeat") return false;
    return (node.max >= MANY && node.node.kind === "group") || within(node.node);
  };
  return parsePattern(pattern).flat().some(within);
}

/** More than this many of one kind of character is as good as without end. */
const ENDLESS = 512;

/**
 * A pattern that begins with an endless repeat is tried from every place of a long run of such characters, and goes to the
 * run's end each time: quadratic. What stands in front of it (a letter, ^, a look-behind) tells where to begin.
 */
export function beginsEndless(pattern: string): boolean {
  const begins = (sequence: readonly Node[]): boolean => {
    for (const node of sequence) {
      if (node.kind === "repeat" && node.node.kind !== "group") {
        if (node.max > ENDLESS) return true;
        if (node.min === 0) continue;
        return false;
      }
      const inner = node.kind === "repeat" ? node.node : node;
      if (inner.kind === "group" && inner.alternatives.some(begins)) return true;
      if (node.kind !== "repeat" || node.min > 0) return false;
    }
    return false;
  };
  return parsePattern(pattern).some(begins);
}

function inSequences(alternatives: readonly Node[][]): string | undefined {
  for (const node of alternatives.flat()) {
    const found = inNode(node);
    if (found) return found;
  }
  return undefined;
}

function inNode(node: Node): string | undefined {
  if (node.kind === "nothing") return inSequences(node.ahead ?? []);
  if (node.kind === "group") return inSequences(node.alternatives);
  return node.kind === "repeat" ? (inRepeat(node) ?? inNode(node.node)) : undefined;
}

function inRepeat(repeat: Extract<Node, { kind: "repeat" }>): string | undefined {
  if (repeat.max < MANY || repeat.node.kind !== "group") return undefined;
  const body = repeat.node.alternatives;
  for (const [at, sequence] of body.entries()) {
    for (const other of body.slice(at + 1)) {
      if (meet(firstOf(sequence), firstOf(other))) return "it repeats a choice between ways that begin alike";
    }
    const inner = repeatsIn(sequence);
    if (inner.some((one) => !isToldApart(one, sequence))) {
      return "it repeats a repeat, and nothing between them tells where one ends";
    }
  }
  return undefined;
}

function repeatsIn(sequence: readonly Node[]): Extract<Node, { kind: "repeat" }>[] {
  return sequence.flatMap((node) => {
    if (node.kind === "group") return node.alternatives.flatMap(repeatsIn);
    if (node.kind !== "repeat") return [];
    return node.max >= MANY ? [node] : repeatsIn([node.node]);
  });
}

/** Something in the sequence must match at least one character that the repeat cannot. */
function isToldApart(repeat: Extract<Node, { kind: "repeat" }>, sequence: readonly Node[]): boolean {
  const own = charsWithin(repeat);
  return sequence.some((node) => node !== repeat && separators(node).some((chars) => !meet(chars, own)));
}

function separators(node: Node): Chars[] {
  if (node.kind === "char" || node.kind === "set") return [node.chars];
  if (node.kind === "group" && node.alternatives.length === 1) return (node.alternatives[0] ?? []).flatMap(separators);
  if (node.kind === "repeat" && node.min > 0) return separators(node.node);
  return [];
}

function charsWithin(node: Node): Chars {
  if (node.kind === "char" || node.kind === "set") return node.chars;
  if (node.kind === "any") return EVERY;
  if (node.kind === "nothing") return EVERY.map(() => false);
  if (node.kind === "repeat") return charsWithin(node.node);
  return union(node.alternatives.flat().map(charsWithin));
}

function firstOf(sequence: readonly Node[]): Chars {
  const firsts: Chars[] = [];
  for (const node of sequence) {
    if (node.kind === "nothing") continue;
    firsts.push(
      node.kind === "group"
        ? union(node.alternatives.map(firstOf))
        : node.kind === "repeat"
          ? firstOf([node.node])
          : charsWithin(node),
    );
    const optional = node.kind === "repeat" && node.min === 0;
    if (!optional) break;
  }
  return union(firsts);
}

function union(all: readonly Chars[]): Chars {
  return EVERY.map((_, at) => all.some((chars) => chars[at]));
}

function meet(a: Chars, b: Chars): boolean {
  return a.some((member, at) => member && b[at]);
}
