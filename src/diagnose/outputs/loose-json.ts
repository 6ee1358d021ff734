// JSON objects inside pasted text, however they got there: with comments, trailing commas, text below, or cut in the middle.
import { createScanner, findNodeAtLocation, getNodeValue, type Node, parseTree, type SyntaxKind } from "jsonc-parser";
import type { OutputText } from "./output-text.ts";

export interface JsonBlock {
  root: Node;
  /** False where the text ends before the object does. */
  whole: boolean;
  lines: number[];
  /** Its text, as the nodes' offsets count. */
  text: string;
}

export interface JsonValue {
  value: unknown;
  line: number;
}

/** Its kinds of tokens are a const enum, which this project's compiler settings cannot take values from. */
const OPENING: readonly SyntaxKind[] = [1, 3];
const CLOSING: readonly SyntaxKind[] = [2, 4];
const EOF: SyntaxKind = 17;
/** An object begins a line, or stands behind `json =`, `config:` or a log's prefix. */
const OPEN = /(?:^\s*|[=:(\]]\s*)\{/;
/** No configuration is nested deeper, and the parser recurses. */
const DEPTH = 64;
/** So often an object may turn out to have no end before the rest is given up. */
const UNCLOSED = 8;

/** The objects whose text fits `holds`, in the order of the text. They do not overlap. */
export function jsonBlocks({ lines }: OutputText, holds: RegExp): JsonBlock[] {
  // Chats make quotes round.
  const rows = lines.map(({ text, command }) => (command ? "" : text.replace(/[“”]/g, '"')));
  if (!rows.some((row) => holds.test(row))) return [];
  const whole = rows.join("\n");
  const scanner = createScanner(whole, true);
  const blocks: JsonBlock[] = [];
  let [offset, unclosed, past] = [0, 0, 0];
  for (const [at, row] of rows.entries()) {
    const start = offset;
    offset += row.length + 1;
    const open = start >= past && unclosed < UNCLOSED ? OPEN.exec(row) : null;
    if (!open) continue;
    const from = start + open.index + open[0].length - 1;
    const end = endOf(scanner, from, whole.length);
    if (end.closed) past = end.offset;
    else unclosed++;
    const text = asJson(whole.slice(from, end.offset));
    const root = holds.test(text) ? parseTree(text, [], { allowTrailingComma: true }) : undefined;
    if (root?.type !== "object" || !root.children?.length) continue;
    const count = text.trimEnd().split("\n").length;
    blocks.push({ root, whole: end.closed, lines: lines.slice(at, at + count).map(({ line }) => line), text });
    if (!end.closed) break;
  }
  return blocks;
}

/** The value at a path of keys, with the line it stands on. */
export function valueAt({ root, lines, text }: JsonBlock, ...path: string[]): JsonValue | null {
  const node = findNodeAtLocation(root, path);
  if (!node) return null;
  return { value: getNodeValue(node), line: lines[text.slice(0, node.offset).split("\n").length - 1] ?? lines[0] ?? 1 };
}

/** The keys of the object at a path. */
export function keysAt({ root }: JsonBlock, ...path: string[]): string[] {
  const node = path.length === 0 ? root : findNodeAtLocation(root, path);
  return (node?.children ?? []).flatMap(({ children }) => {
    const key: unknown = children?.[0]?.value;
    return typeof key === "string" ? [key] : [];
  });
}

/** Where the object ends that begins at `from`; it is not closed where it is cut, or nested past any sense. */
function endOf(scanner: ReturnType<typeof createScanner>, from: number, length: number) {
  scanner.setPosition(from);
  let depth = 0;
  for (let token = scanner.scan(); token !== EOF; token = scanner.scan()) {
    if (OPENING.includes(token)) depth++;
    if (CLOSING.includes(token)) depth--;
    if (depth > DEPTH) return { offset: scanner.getTokenOffset(), closed: false };
    if (depth === 0) return { offset: scanner.getTokenOffset() + scanner.getTokenLength(), closed: true };
  }
  return { offset: length, closed: false };
}

/** What Python prints for a dict, and comments as HJSON has them. Line breaks stay where they are. */
function asJson(text: string): string {
  const plain = text.replace(/^ {0,80}#.*$/gm, "");
  if (!/^\{\s*'/.test(plain)) return plain;
  return plain
    .replaceAll("'", '"')
    .replace(/\bTrue\b/g, "true")
    .replace(/\bFalse\b/g, "false")
    .replace(/\bNone\b/g, "null");
}
