// Reads messages with their files: one that came, or one that stands in Slack already, as it is now.
import type { webApi } from "@slack/bolt";
import type { Read, ReadPaste } from "../reading/read.ts";
import { isUnsure, platformError } from "./failure.ts";
import { filesOf } from "./file-refs.ts";
import type { Attach } from "./files.ts";
import type { RecordSlack } from "./happened.ts";
import type { Said } from "./message.ts";
import { textOfMessage } from "./message-text.ts";
import { readSlackText, withoutMention } from "./text.ts";

export interface ContentsDeps {
  client: Pick<webApi.WebClient, "conversations">;
  /** Redacts and diagnoses; big pastes elsewhere, so that acknowledging stays quick. */
  read: ReadPaste;
  attach: Attach;
  record: RecordSlack;
  bot: string;
}

export interface Where {
  channel: string;
  /** The thread it stands in, or opens. */
  thread: string;
  ts: string;
}

/** What a message says. */
export type Content = Pick<Said, "raw" | "text" | "files">;

export interface Contents {
  /** null where it is gone, or we may not look. */
  find(where: Where): Promise<Content | null>;
  /** `ts` is how the reading is known later. */
  read(content: Pick<Content, "text" | "files">, ts: string): Promise<Read>;
}

export function createContents({ client, read, attach, record, bot }: ContentsDeps): Contents {
  return {
    async find({ channel, thread, ts }) {
      try {
        // Slack gives the thread's first message along, whichever is asked for.
        const only = { oldest: ts, latest: ts, inclusive: true, limit: 2 };
        const page = await client.conversations.replies({ channel, ts: thread, ...only });
        const found = page.messages?.find((one) => one.ts === ts);
        return found ? contentOf(found, bot) : null;
      } catch (error) {
        const why = platformError(error);
        if (isUnsure(why)) throw error;
        record({ kind: "thread-not-readable", about: `${channel}:${ts}`, why });
        return null;
      }
    },
    read: async ({ text, files }, ts) => read({ text, files: await Promise.all(files.map(attach)), message: ts }),
  };
}

/** The mention that called us is no part of what a message says. */
export function contentOf(
  message: { text?: unknown; files?: unknown; attachments?: unknown; blocks?: unknown },
  bot: string,
): Content {
  const raw = withoutMention(textOfMessage(message), bot);
  return { raw, text: readSlackText(raw), files: filesOf(message.files) };
}
