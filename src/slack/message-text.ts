// All that a message says. Other programs' alerts often keep it in attachments or blocks, with little or no text.
import { isObject } from "./delivery.ts";

/** As Slack writes it, still to be read by readSlackText. Not more than a message holds. */
export function textOfMessage(message: { text?: unknown; attachments?: unknown; blocks?: unknown }): string {
  const said = typeof message.text === "string" ? message.text : "";
  const more = [...attached(message.attachments), ...textsIn(message.blocks)].filter(
    (text) => !said.includes(text.trim()),
  );
  return [said, ...more]
    .filter((text) => text.trim() !== "")
    .join("\n")
    .slice(0, MOST_SIGNS);
}

const MOST_SIGNS = 100_000;

function attached(attachments: unknown): string[] {
  return (Array.isArray(attachments) ? attachments : []).filter(isObject).flatMap((attachment) => {
    const { pretext, title, text, fields, blocks, fallback } = attachment;
    const all = [pretext, title, text].filter((one) => typeof one === "string");
    const values = (Array.isArray(fields) ? fields : [])
      .filter(isObject)
      .flatMap(({ title: name, value }) => [
        `${typeof name === "string" ? `${name}: ` : ""}${typeof value === "string" ? value : ""}`,
      ]);
    const found = [...all, ...values, ...textsIn(blocks)];
    return found.length === 0 && typeof fallback === "string" ? [fallback] : found;
  });
}

/** Each block's text as one piece, since a line of it may be many elements. */
function textsIn(blocks: unknown): string[] {
  return (Array.isArray(blocks) ? blocks : []).map((block) => pieces(block).join("")).filter((text) => text !== "");
}

function pieces(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(pieces);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "text" && typeof inner === "string" ? [inner] : pieces(inner),
  );
}
