// Rows of styled text: what stands between Slack's blocks and a terminal.
import type { FakeElement } from "./fake/world.ts";

export interface Span {
  text: string;
  bold?: boolean;
  italic?: boolean;
  strike?: boolean;
  dim?: boolean;
}

export type Row =
  | { kind: "text"; spans: Span[] }
  /** To be copied: never broken into lines. */
  | { kind: "code"; text: string }
  | { kind: "rule" }
  /** Buttons and menus of one row. */
  | { kind: "actions"; elements: FakeElement[] };

/** A person's name for their id, a channel's for its. */
export type NameOf = (id: string) => string;

/** One row a line. */
export function linesOf(spans: readonly Span[]): Row[] {
  const lines: Span[][] = [[]];
  for (const span of spans) {
    const [first = "", ...rest] = span.text.split("\n");
    if (first !== "") lines.at(-1)?.push({ ...span, text: first });
    for (const text of rest) lines.push(text === "" ? [] : [{ ...span, text }]);
  }
  return lines.map((line) => ({ kind: "text", spans: line }));
}
