// The literals that find a pattern's lines: texts of which every match holds one. They come from the pattern itself,
// so that a pattern and its literal cannot drift apart.
import { membersOf, type Node, onlyAscii, parsePattern } from "./pattern.ts";

/** A piece of a match that is one of finitely many texts, `rank failed` or `rank died`. */
type Run = readonly string[];

const MOST = 24;
const LEAST_BYTES = 4;
const LONG_BYTES = 8;
const MOST_TRIES = 500;

/** One text, several of which any will do, or undefined where the pattern has none of four bytes. */
export function deriveLiteral(pattern: string): string | string[] | undefined {
  const runs = runsOf(parsePattern(pattern));
  const single = runs.map(longestShared).reduce((best, text) => (bytes(text) > bytes(best) ? text : best), "");
  // One text searches faster than several, but a short one is found in too many lines.
  if (bytes(single) >= LONG_BYTES) return single;
  const several = longest(runs.map(distinct)) ?? [""];
  const shortest = Math.min(...several.map(bytes));
  if (shortest > bytes(single) && shortest >= LEAST_BYTES) return several.length === 1 ? several[0] : [...several];
  return bytes(single) >= LEAST_BYTES ? single : undefined;
}

/** Whether every match of the pattern holds one of the literals. */
export function impliesLiteral(pattern: string, literal: string | readonly string[]): boolean {
  const literals = typeof literal === "string" ? [literal] : literal;
  const holdsOne = (text: string): boolean => literals.some((one) => text.includes(one));
  let tries = MOST_TRIES;

  const implied = (sequence: readonly Node[]): boolean => {
    if (runsOfSequence(sequence).some((run) => run.every(holdsOne))) return true;
    // No run tells. Then each way through the first choice must tell by itself.
    const at = sequence.findIndex(isChoice);
    const choice = sequence[at];
    if (!choice || tries-- <= 0) return false;
    return waysOf(choice).every((way) => implied([...sequence.slice(0, at), ...way, ...sequence.slice(at + 1)]));
  };
  return parsePattern(pattern).every(implied);
}

function isChoice(node: Node): boolean {
  return node.kind === "group" || (node.kind === "repeat" && node.min === 0 && node.max === 1);
}

function waysOf(choice: Node): Node[][] {
  if (choice.kind === "group") return choice.alternatives;
  return choice.kind === "repeat" ? [[], [choice.node]] : [[choice]];
}

export function bytes(text: string): number {
  let count = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    count += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return count;
}

/** Every run that each match holds: a match holds, of each run, one of its texts. */
function runsOf(alternatives: readonly Node[][]): Run[] {
  const [only, ...others] = alternatives;
  if (only && others.length === 0) return runsOfSequence(only);
  // Any of several ways: one run of each way together makes a run.
  const bests = alternatives.map((sequence) => longest(runsOfSequence(sequence)));
  if (bests.some((run) => run === undefined)) return [];
  const together = distinct(bests.flatMap((run) => run ?? []));
  return together.length <= MOST ? [together] : [];
}

function runsOfSequence(sequence: readonly Node[]): Run[] {
  const runs: Run[] = [];
  let current: Run = [""];
  const cut = (next: Run = [""]): void => {
    if (current.some((text) => text !== "")) runs.push(current);
    current = next;
  };
  const join = (texts: Run): void => {
    if (current.length * texts.length > MOST) cut(texts);
    else current = current.flatMap((head) => texts.map((tail) => head + tail));
  };

  const walk = (nodes: readonly Node[]): void => {
    for (const node of nodes) {
      const texts = textsOf(node);
      if (texts) join(texts);
      else if (node.kind === "group" && node.alternatives.length === 1) walk(node.alternatives[0] ?? []);
      else if (node.kind === "group") {
        cut();
        runs.push(...runsOf(node.alternatives));
      } else if (node.kind === "repeat" && node.min > 0) {
        // At least one: what came before touches the first, what follows touches the last.
        walk([node.node]);
        cut(textsOf(node.node));
      } else cut();
    }
  };
  walk(sequence);
  cut();
  return runs;
}

/** All texts a node can match, where those are few. */
function textsOf(node: Node): Run | undefined {
  switch (node.kind) {
    case "char":
      return [node.char];
    case "nothing":
      return [""];
    case "any":
      return undefined;
    case "set": {
      const members = membersOf(node.chars);
      return onlyAscii(node.chars) && members.length <= 4 && members.length > 0 ? members : undefined;
    }
    case "group": {
      const all: string[] = [];
      for (const sequence of node.alternatives) {
        const texts = textsOfSequence(sequence);
        if (!texts || all.length + texts.length > MOST) return undefined;
        all.push(...texts);
      }
      return distinct(all);
    }
    case "repeat": {
      if (node.max > 3) return undefined;
      const once = textsOf(node.node);
      if (!once) return undefined;
      let power: Run = [""];
      const all: string[] = [];
      for (let count = 0; count <= node.max; count++) {
        if (count >= node.min) all.push(...power);
        power = power.flatMap((head) => once.map((tail) => head + tail));
        if (power.length > MOST) return undefined;
      }
      return distinct(all);
    }
  }
}

function textsOfSequence(sequence: readonly Node[]): Run | undefined {
  let all: Run = [""];
  for (const node of sequence) {
    const texts = textsOf(node);
    if (!texts || all.length * texts.length > MOST) return undefined;
    all = all.flatMap((head) => texts.map((tail) => head + tail));
  }
  return all;
}

function longest(runs: readonly Run[]): Run | undefined {
  const length = (run: Run): number => Math.min(...run.map(bytes));
  return runs.reduce<Run | undefined>(
    (best, run) => (best === undefined || length(run) > length(best) ? run : best),
    undefined,
  );
}

/** The longest text that all of a run's texts hold. */
function longestShared(run: Run): string {
  const [first = "", ...others] = run;
  for (let length = first.length; length > 0; length--) {
    for (let start = 0; start + length <= first.length; start++) {
      const part = first.slice(start, start + length);
      if (others.every((text) => text.includes(part))) return part;
    }
  }
  return "";
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
