// The few kinds of blocks we write. Text in them is shown as it is: nothing in it becomes markup or a mention.
import type { types } from "@slack/bolt";
import { safe } from "../case/safe-text.ts";
import { clip, defuse } from "./text.ts";

export type Block = types.KnownBlock;

export interface Span {
  text: string;
  bold?: boolean;
  italic?: boolean;
  /** Makes the text a link. */
  url?: string;
}

type Element = types.RichTextElement;

/** Lines of spans; each line on its own. */
export function lines(all: (Span | { user: string })[][]): Block {
  return {
    type: "rich_text",
    elements: all.map((spans, at) => ({
      type: "rich_text_section",
      // Sections follow each other without a break of their own.
      elements: [...spans.map(toElement), ...(at < all.length - 1 ? [{ type: "text" as const, text: "\n" }] : [])],
    })),
  };
}

function toElement(span: Span | { user: string }): Element {
  if ("user" in span) return { type: "user", user_id: span.user };
  const { text, bold, italic, url } = span;
  const style = { ...(bold ? { bold } : {}), ...(italic ? { italic } : {}) };
  if (url !== undefined) return { type: "link", url, text: defuse(text) || url };
  // Slack refuses an empty text element.
  return { type: "text", text: defuse(text) || " ", ...(bold || italic ? { style } : {}) };
}

/** Something to copy, or lines of a log. A command holds only what its facts may hold, so it is left as it is. */
export function preformatted(text: string): Block {
  return {
    type: "rich_text",
    elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: safe(text) || " " }] }],
  };
}

export function small(text: string): Block {
  return { type: "context", elements: [plain(text, 1000)] };
}

export function plain(text: string, max: number): types.PlainTextElement {
  return { type: "plain_text", text: clip(defuse(text), max) || " ", emoji: false };
}

/** How much of the 12 000 characters one block takes: every text in it. */
export function weight(block: unknown): number {
  if (Array.isArray(block)) return block.reduce<number>((sum, item) => sum + weight(item), 0);
  if (typeof block !== "object" || block === null) return 0;
  return Object.entries(block).reduce(
    (sum, [key, value]) => sum + (key === "text" && typeof value === "string" ? value.length : weight(value)),
    0,
  );
}
