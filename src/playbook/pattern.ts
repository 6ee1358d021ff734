// A small reader of JavaScript patterns: as much structure as literals and the search for exponential shapes need.
// What it does not know it gives as `any`: something that may match whatever it likes. It never throws.

/** `chars` says which of the sampled characters one position can match. */
export type Node =
  | { kind: "char"; char: string; chars: Chars }
  | { kind: "set"; chars: Chars }
  | { kind: "any" }
  /** Matches no character: ^, $, \b, and look-arounds, which look at `ahead`. */
  | { kind: "nothing"; ahead?: Node[][] }
  | { kind: "group"; alternatives: Node[][] }
  | { kind: "repeat"; node: Node; min: number; max: number };

export type Chars = readonly boolean[];

/** ASCII, and one of each kind beyond it. */
const SAMPLE: readonly string[] = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ..."é中。\u00a0\u2028\uffff",
];

export const EVERY: Chars = SAMPLE.map(() => true);

/** The sampled characters of a set, as text. */
export function membersOf(chars: Chars): string[] {
  return SAMPLE.filter((_, at) => chars[at]);
}

/** Whether the sample tells all there is: a set that holds only ASCII. */
export function onlyAscii(chars: Chars): boolean {
  return chars.slice(128).every((member) => !member);
}

export function parsePattern(pattern: string): Node[][] {
  let at = 0;

  function alternatives(): Node[][] {
    const all: Node[][] = [[]];
    while (at < pattern.length && pattern[at] !== ")") {
      if (pattern[at] === "|") {
        at++;
        all.push([]);
      } else all.at(-1)?.push(repeated(atom()));
    }
    return all;
  }

  function repeated(node: Node): Node {
    const rest = pattern.slice(at);
    const counted = /^(?:[*+?]|\{(\d+)(,)?(\d*)\})\??/.exec(rest);
    if (!counted) return node;
    at += counted[0].length;
    if (rest[0] === "*") return { kind: "repeat", node, min: 0, max: Number.POSITIVE_INFINITY };
    if (rest[0] === "+") return { kind: "repeat", node, min: 1, max: Number.POSITIVE_INFINITY };
    if (rest[0] === "?") return { kind: "repeat", node, min: 0, max: 1 };
    const min = Number(counted[1]);
    const max = counted[2] ? (counted[3] ? Number(counted[3]) : Number.POSITIVE_INFINITY) : min;
    return { kind: "repeat", node, min, max };
  }

  function atom(): Node {
    const char = pattern[at] ?? "";
    if (char === "(") return group();
    if (char === "[") return taken(classLength());
    if (char === "\\") return escaped();
    at++;
    if (char === "^" || char === "$") return { kind: "nothing" };
    if (char === ".") return { kind: "set", chars: charsOf(".") };
    return literalChar(char);
  }

  function group(): Node {
    const head = /^\((?:\?(?:<[A-Za-z_$][\w$]*>|:|(<?[=!])))?/.exec(pattern.slice(at));
    at += head?.[0].length ?? 1;
    const inner = alternatives();
    at++;
    return head?.[1] ? { kind: "nothing", ahead: inner } : { kind: "group", alternatives: inner };
  }

  function classLength(): number {
    for (let end = at + 1; end < pattern.length; end++) {
      if (pattern[end] === "\\") end++;
      else if (pattern[end] === "]") return end + 1 - at;
    }
    return pattern.length - at;
  }

  function escaped(): Node {
    const next = pattern[at + 1] ?? "";
    if (next === "b" || next === "B") {
      at += 2;
      return { kind: "nothing" };
    }
    if (/[1-9k]/.test(next)) {
      at += /^\\(?:\d+|k<[^>]*>|k)/.exec(pattern.slice(at))?.[0].length ?? 2;
      return { kind: "any" };
    }
    if (/[dDwWsS]/.test(next)) return taken(2);
    const coded = /^\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|(c[A-Za-z])|([nrtvf0]))/.exec(pattern.slice(at));
    if (coded) {
      at += coded[0].length;
      const code = coded[1] ?? coded[2];
      return code
        ? literalChar(String.fromCharCode(Number.parseInt(code, 16)))
        : { kind: "set", chars: charsOf(coded[0]) };
    }
    at += 2;
    return literalChar(next);
  }

  function taken(length: number): Node {
    const source = pattern.slice(at, at + length);
    at += length;
    return { kind: "set", chars: charsOf(source) };
  }

  const all = alternatives();
  return at < pattern.length ? [[{ kind: "any" }]] : all;
}

function literalChar(char: string): Node {
  const at = SAMPLE.indexOf(char);
  // A character beyond the sample stands for its kind, which makes it meet more than it would: the careful side.
  return { kind: "char", char, chars: SAMPLE.map((_, place) => (at < 0 ? place >= 128 : place === at)) };
}

function charsOf(source: string): Chars {
  try {
    const one = new RegExp(`^(?:${source})$`);
    return SAMPLE.map((char) => one.test(char));
  } catch {
    return EVERY;
  }
}
