// What Slack refuses in a message or a view, and the word it refuses it with.
import type * as z from "zod";
import { MessageBlocks, Metadata, View } from "./block-schema.ts";

/** null where Slack would take it. */
export type Refused = { error: string; messages: string[] } | null;

/** All texts of a message's blocks together. */
const MESSAGE_SIGNS = 13_200;
/** What the text of a new message may take; Slack cuts there. */
const TEXT_SIGNS = 40_000;
/** What the text of a changed message, or of one for a single person, may take. */
const SHORT_TEXT_SIGNS = 4000;
const METADATA_BYTES = 8000;
const VIEW_BYTES = 250_000;

export interface Payload {
  text?: unknown;
  blocks?: unknown;
  metadata?: unknown;
  attachments?: unknown;
}

export function refuseMessage(payload: Payload, longest: "new" | "changed" = "new"): Refused {
  const { text, blocks, attachments } = payload;
  const signs = typeof text === "string" ? text.length : 0;
  if (signs > (longest === "new" ? TEXT_SIGNS : SHORT_TEXT_SIGNS)) return no("msg_too_long", `${signs} characters`);
  const empty = signs === 0 && !isFilled(blocks) && !isFilled(attachments);
  if (empty) return no("no_text", "neither text nor blocks nor attachments");
  return refuseBlocks(blocks) ?? refuseMetadata(payload.metadata);
}

export function refuseBlocks(blocks: unknown): Refused {
  if (blocks === undefined) return null;
  if (!Array.isArray(blocks)) return no("invalid_blocks_format", "must be an array");
  const checked = MessageBlocks.safeParse(blocks);
  if (!checked.success) return no("invalid_blocks", ...say(checked.error, "/blocks"));
  const twice = twiceNamed(checked.data);
  if (twice.length > 0) return no("invalid_blocks", ...twice);
  const signs = signsIn(blocks);
  return signs > MESSAGE_SIGNS ? no("msg_blocks_too_long", `${signs} characters together`) : null;
}

function refuseMetadata(metadata: unknown): Refused {
  if (metadata === undefined) return null;
  const checked = Metadata.safeParse(metadata);
  if (!checked.success) return no("invalid_metadata_format", ...say(checked.error, "/metadata"));
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  return bytes > METADATA_BYTES ? no("metadata_too_large", `${bytes} bytes`) : null;
}

export function refuseView(view: unknown): Refused {
  const checked = View.safeParse(view);
  if (!checked.success) return no("invalid_arguments", ...say(checked.error, "/view"));
  const { type, title, submit, blocks } = checked.data;
  if (type === "modal" && !title)
    return no("invalid_arguments", "[ERROR] missing required field: title [json-pointer:/view]");
  if (type === "modal" && !submit && blocks.some((block) => block.type === "input"))
    return no("invalid_arguments", "[ERROR] a view with inputs needs submit [json-pointer:/view]");
  const twice = twiceNamed(blocks);
  if (twice.length > 0) return no("invalid_arguments", ...twice);
  const bytes = Buffer.byteLength(JSON.stringify(view));
  return bytes > VIEW_BYTES ? no("view_too_large", `${bytes} bytes`) : null;
}

function no(error: string, ...messages: string[]): Refused {
  return { error, messages };
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function say(error: z.ZodError, at: string): string[] {
  return error.issues.map(({ message, path }) => `[ERROR] ${message} [json-pointer:${[at, ...path].join("/")}]`);
}

/** A block_id once in a message, an action_id once in a block. */
function twiceNamed(blocks: readonly { type: string; block_id?: string | undefined }[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [n, block] of blocks.entries()) {
    if (block.block_id && seen.has(block.block_id))
      problems.push(`[ERROR] block_id "${block.block_id}" already exists [json-pointer:/blocks/${n}/block_id]`);
    if (block.block_id) seen.add(block.block_id);
    const elements = "elements" in block && Array.isArray(block.elements) ? block.elements : [];
    const ids = elements.flatMap((element: { action_id?: string }) => element.action_id ?? []);
    const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
    for (const id of twice) problems.push(`[ERROR] action_id "${id}" already exists [json-pointer:/blocks/${n}]`);
  }
  return problems;
}

/** How long all texts together are. */
export function signsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + signsIn(item), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + (key === "text" && typeof item === "string" ? item.length : signsIn(item)),
    0,
  );
}
