// The one way a message leaves for Slack. Each has a key, so that nothing is posted twice, and is changed in one place.
import { createHash } from "node:crypto";
import { webApi } from "@slack/bolt";
import type { MessageKey, MessageStore } from "../case/messages.ts";
import type { Message } from "./blocks.ts";
import type { RecordSlack } from "./happened.ts";

export interface Thread {
  channel: string;
  thread: string;
}

export interface Whispered {
  channel: string;
  thread: string | null;
  user: string;
}

export interface OutboxDeps {
  store: MessageStore;
  /** For posting: it must not try again by itself, since only a look into the thread tells whether a try got through. */
  poster: webApi.WebClient;
  client: webApi.WebClient;
  record: RecordSlack;
  now(): Date;
  sleep(ms: number): Promise<void>;
}

export interface Outbox {
  /** Shows a case as it stands after entry `seq`: posts its message, or changes it. Says whether anything changed. */
  show(key: MessageKey, thread: Thread, message: Message): Promise<boolean>;
  /** Posts once, whatever happens in between. */
  post(key: MessageKey, thread: Thread, message: Message): Promise<void>;
  /** For one person's eyes, in a thread or (null) in the channel itself; nothing is kept of it. */
  whisper(to: Whispered, message: Message): Promise<void>;
}

const TRIES = 4;
/** Slack says these where our message is gone or too old to change: a new one takes its place. */
const GONE = new Set(["message_not_found", "edit_window_closed", "cant_update_message"]);

/** After these Slack may have done it all the same. */
const UNSURE = new Set(["internal_error", "fatal_error", "service_unavailable", "request_timeout"]);

export function createOutbox({ store, poster, client, record, now, sleep }: OutboxDeps): Outbox {
  const at = (): string => now().toISOString();

  async function show(key: MessageKey, thread: Thread, message: Message): Promise<boolean> {
    const there = await store.newest(key);
    if (!there) return postAs({ ...key, seq: 0 }, thread, key.seq, message);
    // We were about to post it when we were stopped.
    if (there.ts === null) return postAs({ ...key, seq: there.seq }, thread, key.seq, message);
    if (there.shownSeq > key.seq || there.shownHash === hashOf(message)) return false;
    return update({ ...key, seq: there.seq }, there.ts, thread, key.seq, message);
  }

  async function post(key: MessageKey, thread: Thread, message: Message): Promise<void> {
    const there = await store.find(key);
    if (!there || there.ts === null) await postAs(key, thread, key.seq, message);
  }

  async function postAs(key: MessageKey, thread: Thread, seq: number, message: Message): Promise<boolean> {
    const claimed = await store.claim(key, thread, at());
    const marked = mark(key, message);
    // Somebody claimed it before and Slack's answer was never heard: it may be there.
    const before = claimed ? null : await findInThread(key, thread);
    if (before) {
      await store.shown(key, { ts: before, seq: key.seq, hash: "" }, at());
      return update(key, before, thread, seq, message);
    }
    const ts = await send(key, thread, marked);
    await store.shown(key, { ts, seq, hash: hashOf(message) }, at());
    return true;
  }

  /** Posts, and where Slack's answer was not heard, looks before it posts again. */
  async function send(key: MessageKey, { channel, thread }: Thread, message: Message): Promise<string> {
    for (let tries = 1; ; tries++) {
      try {
        const posted = await poster.chat.postMessage({
          channel,
          thread_ts: thread,
          ...message,
          metadata: message.metadata,
          unfurl_links: false,
          unfurl_media: false,
        } as webApi.ChatPostMessageArguments);
        record({ kind: "message-posted", about: key.about, seq: key.seq, found: false });
        return posted.ts ?? "";
      } catch (error) {
        if (error instanceof webApi.WebAPIRateLimitedError) {
          record({ kind: "rate-limited", seconds: error.retryAfter });
          if (tries >= TRIES) throw error;
          await sleep(error.retryAfter * 1000);
          continue;
        }
        // Slack said no: saying it again changes nothing.
        const why = platformError(error);
        if (why !== null && !UNSURE.has(why)) throw error;
        await sleep(500 * tries);
        const found = await findInThread(key, { channel, thread });
        if (found) return found;
        if (tries >= TRIES) throw error;
      }
    }
  }

  async function update(key: MessageKey, ts: string, thread: Thread, seq: number, message: Message): Promise<boolean> {
    try {
      await client.chat.update({
        channel: thread.channel,
        ts,
        ...mark(key, message),
      } as webApi.ChatUpdateArguments);
    } catch (error) {
      const why = platformError(error);
      if (why === null || !GONE.has(why) || seq <= key.seq) throw error;
      record({ kind: "message-replaced", about: key.about, why });
      return postAs({ ...key, seq }, thread, seq, message);
    }
    await store.shown(key, { ts, seq, hash: hashOf(message) }, at());
    record({ kind: "message-updated", about: key.about, seq });
    return true;
  }

  /** Our own message in the thread, known by its metadata. */
  async function findInThread(key: MessageKey, { channel, thread }: Thread): Promise<string | null> {
    try {
      let cursor: string | undefined;
      do {
        const page = await client.conversations.replies({
          channel,
          ts: thread,
          limit: 200,
          include_all_metadata: true,
          ...(cursor ? { cursor } : {}),
        });
        const found = page.messages?.find((message) => isOurs(message, key));
        if (found?.ts) {
          record({ kind: "message-posted", about: key.about, seq: key.seq, found: true });
          return found.ts;
        }
        cursor = page.response_metadata?.next_cursor || undefined;
      } while (cursor);
    } catch (error) {
      const why = platformError(error);
      if (why === null) throw error;
      // Without the right to look we post again, and say so.
      record({ kind: "thread-not-readable", about: key.about, why });
    }
    return null;
  }

  async function whisper({ channel, thread, user }: Whispered, message: Message): Promise<void> {
    try {
      await client.chat.postEphemeral({
        channel,
        ...(thread === null ? {} : { thread_ts: thread }),
        user,
        text: message.text,
        blocks: message.blocks,
      } as webApi.ChatPostEphemeralArguments);
    } catch (error) {
      const why = platformError(error);
      if (why === null) throw error;
      // Who left the channel need not hear it.
      record({ kind: "ephemeral-not-posted", why });
    }
  }

  return { show, post, whisper };
}

/** Every message we post says what it is, so that it can be found again. */
function mark(key: MessageKey, message: Message): Message {
  if (message.metadata) return message;
  return { ...message, metadata: { event_type: "firstfault_note", event_payload: { about: key.about, seq: key.seq } } };
}

function isOurs(message: object, { about, seq }: MessageKey): boolean {
  const { metadata } = message as { metadata?: { event_type?: string; event_payload?: Record<string, unknown> } };
  const payload = metadata?.event_payload ?? {};
  if (metadata?.event_type === "firstfault_case") return payload.case === about;
  return metadata?.event_type === "firstfault_note" && payload.about === about && payload.seq === seq;
}

function hashOf(message: Message): string {
  return createHash("sha256").update(JSON.stringify(message)).digest("hex");
}

/** Slack's own word for what it refused, or null where Slack was not heard. */
export function platformError(error: unknown): string | null {
  return error instanceof webApi.WebAPIPlatformError ? String(error.data.error) : null;
}
