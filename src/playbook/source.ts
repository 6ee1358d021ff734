// One YAML file: its value, and where each part of it stands.
import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from "yaml";
import type { Problem, Rule } from "./problem.ts";

export type Path = readonly PropertyKey[];

export interface Source {
  file: string;
  value: unknown;
  /** What the YAML itself has wrong: syntax, a key given twice. */
  problems: Problem[];
  /** A problem at the value of `path`, or at its key; where that is missing, at the nearest part that is there. */
  problem(rule: Rule, path: Path, say: string, part?: "key" | "value"): Problem;
}

export function readSource(file: string, text: string): Source {
  const counter = new LineCounter();
  const doc = parseDocument(text, { lineCounter: counter, logLevel: "error" });

  function place(offset: number): { line: number; col: number } {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1), col: Math.max(col, 1) };
  }

  function offsetOf(path: Path, part: "key" | "value"): number {
    let node: unknown = doc.contents;
    let offset = startOf(node) ?? 0;
    for (const [at, key] of path.entries()) {
      const last = at === path.length - 1;
      if (isMap(node)) {
        const pair = node.items.find((item) => keyOf(item) === String(key));
        if (!pair) return offset;
        const keyOffset = startOf(pair.key) ?? offset;
        offset = last && part === "value" ? (startOf(pair.value) ?? keyOffset) : keyOffset;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(key)];
        offset = startOf(node) ?? offset;
      } else return offset;
    }
    return offset;
  }

  const wrong: Problem[] = doc.errors.map((error) => ({
    file,
    ...place(error.pos[0]),
    rule: "yaml",
    say: readable(error.message),
  }));
  let value: unknown;
  try {
    if (wrong.length === 0) value = doc.toJS();
  } catch (error) {
    // Aliases that multiply without end are refused while they are resolved.
    wrong.push({ file, line: 1, col: 1, rule: "yaml", say: (error as Error).message });
  }
  return {
    file,
    value,
    problems: wrong,
    problem: (rule, path, say, part = "value") => ({ file, ...place(offsetOf(path, part)), rule, say }),
  };
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/** The parser adds "at line 3, column 5:" and a drawing; we say the place ourselves. */
function readable(message: string): string {
  return (message.split("\n")[0] ?? message).replace(/ at line \d+, column \d+:?$/, "").trim();
}
