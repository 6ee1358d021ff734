// Slack's way of writing a message -> the text a person typed. Undone before a log is read; lines keep their numbers.
import { safe } from "../case/safe-text.ts";

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** What stands between angle brackets is always Slack's: it escapes those that people type. */
const MARKED = /<([^<>|]{1,2000})(?:\|([^<>]{0,2000}))?>/g;

/** Code fences go, line breaks stay, so that "line 214" is line 214 of what was pasted. */
export function readSlackText(text: string): string {
  return text
    .replace(MARKED, (_all, target: string, label: string | undefined) => unmark(target, label))
    .replaceAll("```", "")
    .replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\r\n?/g, "\n");
}

/** `<@U1>`, `<#C1|general>`, `<!here>`, `<mailto:a@b|a@b>`, `<http://node:29500|node:29500>`. */
function unmark(target: string, label: string | undefined): string {
  if (target.startsWith("@")) return label ? `@${label}` : target;
  if (target.startsWith("#")) return label ? `#${label}` : target;
  if (target.startsWith("!")) return label ?? `@${target.slice(1).split("^")[0]}`;
  return label || target.replace(/^mailto:/, "");
}

export function mentions(text: string, user: string): boolean {
  return text.includes(`<@${user}>`) || text.includes(`<@${user}|`);
}

/** The mention that called us is no part of the paste. */
export function withoutMention(text: string, user: string): string {
  return text.replaceAll(new RegExp(`<@${user}(?:\\|[^<>]{0,200})?>[ \\t]?`, "g"), "");
}

/** Several lines, a code block, or one line long enough to be a log's: worth reading as a further paste. */
export function looksPasted(slackText: string): boolean {
  const text = slackText.trim();
  if (text.includes("```")) return true;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length >= 3 || (lines.length >= 1 && text.length >= 200) || LOG_LINE.test(text);
}

/** Nothing in it is a machine's, neither a code block nor a line: people talk. */
export function isTalk(slackText: string): boolean {
  return !slackText.includes("```") && !LOG_LINE.test(slackText);
}

/** One line as a machine writes it: a bracketed rank, a clock with a date, a level, or a tool's `key=value` row. */
const LOG_LINE =
  /\[rank ?\d+\]|\brank\d+:|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|^\s*[EWIF]\d{4} \d\d:\d\d|\b(?:ERROR|WARN(?:ING)?|FATAL|CRITICAL)\b|\bNCCL (?:WARN|INFO)\b|\bXid\b|Traceback \(most recent|(?:\b\w+=\S+[ ,]+){2}/m;

/** For the places that Slack reads as its own markup: notification texts. */
export function escapeSlack(text: string): string {
  return safe(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Blocks show text as it is; a joiner inside keeps even a careless reader of them from taking a log for a mention. */
export function defuse(text: string): string {
  return safe(text).replace(/<(?=[!@#])/g, "<\u2060");
}

/** Cut to what fits, never through a surrogate pair. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = max - 1;
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end--;
  return `${text.slice(0, end)}…`;
}

/** A person's id in Slack; anything else is a name. */
export function isUserId(text: string): boolean {
  return /^[UW][A-Z0-9]+$/.test(text);
}
