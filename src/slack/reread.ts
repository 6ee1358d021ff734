// Reads a message that stands in Slack already: its text and its files, as they are now.
import type { webApi } from "@slack/bolt";
import type { Read, ReadPaste } from "../reading/read.ts";
import { filesOf } from "./file-refs.ts";
import type { Attach } from "./files.ts";
import { readSlackText, withoutMention } from "./text.ts";

export interface RereadDeps {
  client: Pick<webApi.WebClient, "conversations">;
  read: ReadPaste;
  attach: Attach;
  bot: string;
}

/** null where the message is not there any more. */
export type Reread = (at: { channel: string; thread: string; ts: string }) => Promise<Read | null>;

export function createReread({ client, read, attach, bot }: RereadDeps): Reread {
  return async ({ channel, thread, ts }) => {
    const page = await client.conversations.replies({
      channel,
      ts: thread,
      oldest: ts,
      latest: ts,
      inclusive: true,
      limit: 2,
    });
    const found = page.messages?.find((one) => one.ts === ts);
    if (!found) return null;
    const text = readSlackText(withoutMention(found.text ?? "", bot));
    return read({ text, files: await Promise.all(filesOf(found.files).map(attach)), message: ts });
  };
}
