// A message event, whatever its shape -> who said what, where; or that there is nothing for us in it.
import { type FileRef, filesOf, mayBeText } from "./file-refs.ts";
import { looksPasted, mentions, readSlackText, withoutMention } from "./text.ts";

export type Heard =
  | { kind: "said"; said: Said }
  | { kind: "deleted"; channel: string; ts: string }
  | { kind: "nothing" };

export interface Said {
  channel: string;
  /** The thread it stands in, or opens. */
  thread: string;
  ts: string;
  user: string;
  /** As Slack writes it, without the mention of us. */
  raw: string;
  /** As the person typed it. */
  text: string;
  files: FileRef[];
  /** Said to us: a mention, or a direct message. */
  addressed: boolean;
  mentioned: boolean;
  reply: boolean;
  edited: boolean;
  /** What our replies to it are known by. */
  reference: string;
}

/** Worth reading where nobody spoke to us. */
export function bringsPaste({ raw, files }: Said): boolean {
  return files.some(mayBeText) || looksPasted(raw);
}

/** What we read of a message event; every field may be missing, since Slack's events differ. */
export interface MessageEvent {
  type?: string;
  subtype?: string;
  channel?: string;
  channel_type?: string;
  user?: string;
  bot_id?: string;
  text?: string;
  files?: unknown;
  ts?: string;
  thread_ts?: string;
  deleted_ts?: string;
  message?: MessageEvent;
  previous_message?: MessageEvent;
}

/** Subtypes that people write; all others are Slack's own or another app's. */
const PEOPLE = new Set<string | undefined>([undefined, "file_share", "thread_broadcast", "me_message"]);

export function hear(event: MessageEvent, bot: string): Heard {
  const channel = event.channel ?? "";
  if (event.subtype === "message_deleted" && event.deleted_ts)
    return { kind: "deleted", channel, ts: event.deleted_ts };
  // What has replies leaves a tombstone where it stood.
  if (event.message?.subtype === "tombstone") return { kind: "deleted", channel, ts: event.message.ts ?? "" };
  if (event.subtype !== "message_changed") return said(event, event, bot, false);
  // Unfurls and our own updates change a message, too; only a person's new text is read again.
  const { message, previous_message: before } = event;
  // A file that was deleted takes along what was quoted of it, as its message would.
  if (message?.ts && live(before?.files).some((id) => !live(message.files).includes(id)))
    return { kind: "deleted", channel, ts: message.ts };
  if (!message || !before || before.text === undefined || message.text === before.text) return { kind: "nothing" };
  return said(message, event, bot, true);
}

function live(files: unknown): string[] {
  return filesOf(files).flatMap(({ id, gone }) => (gone ? [] : [id]));
}

function said(
  message: MessageEvent,
  { channel = "", channel_type }: MessageEvent,
  bot: string,
  edited: boolean,
): Heard {
  const { subtype, bot_id, user, ts, thread_ts } = message;
  if (!PEOPLE.has(subtype) || bot_id || !user || user === bot || !ts || !channel) return { kind: "nothing" };
  const slackText = message.text ?? "";
  const raw = withoutMention(slackText, bot);
  const mentioned = message.type === "app_mention" || mentions(slackText, bot);
  return {
    kind: "said",
    said: {
      channel,
      thread: thread_ts ?? ts,
      ts,
      user,
      raw,
      text: readSlackText(raw),
      files: filesOf(message.files),
      mentioned,
      addressed: mentioned || channel_type === "im",
      reply: thread_ts !== undefined && thread_ts !== ts,
      edited,
      reference: ts,
    },
  };
}
