// Whom a message calls: people, groups, everyone. What a log only looks like calling is told from it as Slack tells it.
import type { FakeMessage, Json } from "./world.ts";

const MARKUP = /<(?:!(here|channel|everyone)|@([UW][A-Z0-9]+)|!subteam\^(\w+))(?:\|[^<>]*)?>/g;

/** "here", "U7", a group's id; in the order they stand. */
export function pingsIn({ text, blocks }: Pick<FakeMessage, "text" | "blocks">): string[] {
  return [...new Set([...inMarkup(text), ...inBlocks(blocks)])];
}

function inMarkup(text: string): string[] {
  return [...text.matchAll(MARKUP)].flatMap(([, everyone, user, group]) => everyone ?? user ?? group ?? []);
}

/** Of texts, only mrkdwn and markdown are read for markup; a rich text is what it is. */
function inBlocks(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(inBlocks);
  if (typeof value !== "object" || value === null) return [];
  const { type, text, user_id, usergroup_id, range } = value as Json;
  if ((type === "mrkdwn" || type === "markdown") && typeof text === "string") return inMarkup(text);
  if (type === "user") return [String(user_id)];
  if (type === "usergroup") return [String(usergroup_id)];
  if (type === "broadcast") return [String(range)];
  return Object.values(value).flatMap(inBlocks);
}
