// Replies that came before the message they reply to: Slack promises no order. Only where they stand is kept, for a while.
import type { Said } from "./message.ts";

export type Early = Pick<Said, "channel" | "thread" | "ts" | "user" | "reference">;

export interface EarlyReplies {
  keep(said: Said): void;
  /** Those of one thread, in their order; they are forgotten then. */
  take(of: Pick<Said, "channel" | "thread">): Early[];
}

/** Threads at once; the oldest is let go. */
const MOST = 500;

export function createEarlyReplies(): EarlyReplies {
  const threads = new Map<string, Early[]>();
  const keyOf = ({ channel, thread }: Pick<Said, "channel" | "thread">): string => `${channel}/${thread}`;
  return {
    keep({ channel, thread, ts, user, reference }) {
      const key = keyOf({ channel, thread });
      const all = [...(threads.get(key) ?? []), { channel, thread, ts, user, reference }];
      threads.delete(key);
      threads.set(key, all);
      const [oldest] = threads.keys();
      if (threads.size > MOST && oldest !== undefined) threads.delete(oldest);
    },
    take(of) {
      const all = threads.get(keyOf(of)) ?? [];
      threads.delete(keyOf(of));
      return all.sort((a, b) => Number(a.ts) - Number(b.ts));
    },
  };
}
