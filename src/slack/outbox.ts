// The one way a message leaves for Slack. Each has a key, so that nothing is posted twice, and is changed in one place.
import { createHash } from "node:crypto";
import { webApi } from "@slack/bolt";
import type { MessageKey, MessageStore, Posted } from "../case/messages.ts";
import type { Message } from "./blocks.ts";
import { ClosedToUs, isClosed, isGone, isUnsure, platformError } from "./failure.ts";
import type { RecordSlack } from "./happened.ts";
import { createLanes } from "./lanes.ts";

export interface Thread {
  channel: string;
  /** null: in the channel itself. */
  thread: string | null;
}

export interface Whispered extends Thread {
  user: string;
  /** Where Slack takes an answer for this person, even in a channel that we are not in. */
  responseUrl?: string | null;
}

export interface Attached {
  name: string;
  text: string;
}

export interface OutboxDeps {
  store: MessageStore;
  /** For posting: it must not try again by itself, since only a look into the thread tells whether a try got through. */
  poster: webApi.WebClient;
  client: webApi.WebClient;
  /** For answers by a response_url. */
  fetch: typeof globalThis.fetch;
  /** Resolves when calls of this method may leave again. */
  whenOpen(method: string): Promise<void>;
  record: RecordSlack;
  now(): Date;
  sleep(ms: number): Promise<void>;
  newReference(): string;
  /** The least time between two edits of one message. */
  editPauseMs: number;
}

/** A message that is changed in place. */
export type About = Pick<MessageKey, "team" | "about">;

/** What a message shows as of entry `seq`. */
export interface Showing {
  seq: number;
  thread: Thread;
  message: Message;
}

/** Asked at the moment the message leaves; null where there is nothing to show any more. */
export type Show = () => Promise<Showing | null>;

export interface Outbox {
  /** Posts the message or changes it, now or as soon as it may be edited again. Says whether it had fallen behind. */
  show(about: About, showing: Show): Promise<boolean>;
  /** Posts once, whatever happens in between; where it stands. */
  post(key: MessageKey, thread: Thread, message: Message): Promise<string>;
  /** Puts a file into the thread once; without the right to (`files:write`) it is only recorded. */
  attach(key: MessageKey, thread: Thread, file: Attached): Promise<void>;
  /** For one person's eyes; nothing is kept of it. */
  whisper(to: Whispered, message: Message): Promise<void>;
  /** Resolves when no edit is put off. */
  idle(): Promise<void>;
}

const TRIES = 4;
/** Before an edit that Slack did not take is tried again; after the last it is given up. */
const EDIT_PAUSES_MS = [1000, 8000, 60_000, 300_000, 900_000];

/** A message that may not be edited yet. */
interface Rest {
  /** What it shows after that. */
  next: Show | null;
  /** How often Slack did not take the edit. */
  failures: number;
}

export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, poster, client, fetch, whenOpen, record, now, sleep, newReference, editPauseMs } = deps;
  const at = (): string => now().toISOString();
  // One message is worked on by one at a time.
  const lanes = createLanes();
  const resting = new Map<string, Rest>();
  const owed = new Set<Promise<void>>();
  let putOff = 0;

  function recordPutOff({ about }: About): void {
    putOff++;
    record({ kind: "edit-put-off", about });
  }

  function show(about: About, showing: Show, failures = 0): Promise<boolean> {
    const lane = `${about.team}/${about.about}`;
    return lanes.run(lane, async () => {
      const what = await showing();
      if (!what) return false;
      const there = await standing(about, what);
      if (!there) return true;
      const rest = resting.get(lane);
      if (isCurrent(there, what)) return rest?.next != null;
      const key = { ...about, seq: there.seq };
      // Written down first: whoever starts after us sees what is owed.
      await store.wanted(key, what.seq, at());
      if (rest) {
        if (!rest.next) recordPutOff(about);
        rest.next = showing;
        return true;
      }
      try {
        await update(key, there.ts, what);
        letRest(about, lane, { next: null, failures: 0 }, sleep(editPauseMs));
      } catch (error) {
        if (error instanceof ClosedToUs) throw error;
        if (error instanceof webApi.WebAPIRateLimitedError) {
          recordPutOff(about);
          letRest(about, lane, { next: showing, failures }, whenOpen("chat.update"));
          return true;
        }
        const ms = EDIT_PAUSES_MS[failures];
        if (ms === undefined) return giveUp(key, platformError(error) ?? "not heard", error);
        recordPutOff(about);
        letRest(about, lane, { next: showing, failures: failures + 1 }, sleep(ms));
      }
      return true;
    });
  }

  /** The message as it stands, to be edited; null where it was posted just now, as it is to be. */
  async function standing(about: About, what: Showing): Promise<(Posted & { ts: string }) | null> {
    const there = await store.newest(about);
    if (there && there.ts !== null) return { ...there, ts: there.ts };
    // Never posted, or stopped when we were about to.
    const posted = await postAs({ ...about, seq: there?.seq ?? 0 }, what);
    const found = posted.found ? await store.newest(about) : undefined;
    return found && found.ts !== null ? { ...found, ts: found.ts } : null;
  }

  function letRest(about: About, lane: string, rest: Rest, until: Promise<void>): void {
    resting.set(lane, rest);
    const over = until.then(async () => {
      resting.delete(lane);
      if (!rest.next) return;
      try {
        await show(about, rest.next, rest.failures);
      } catch (error) {
        if (!(error instanceof ClosedToUs)) record({ kind: "edit-failed", about: about.about, error });
      }
      putOff--;
      record({ kind: "edit-caught-up", about: about.about });
    });
    owed.add(over);
    void over.finally(() => owed.delete(over));
  }

  async function idle(): Promise<void> {
    while (putOff > 0) await Promise.race(owed);
  }

  async function post(key: MessageKey, thread: Thread, message: Message): Promise<string> {
    const there = await store.find(key);
    return there?.ts ?? (await postAs(key, { seq: key.seq, thread, message })).ts;
  }

  async function attach(key: MessageKey, thread: Thread, { name, text }: Attached): Promise<void> {
    await lanes.run(`${key.team}/${key.about}`, async () => {
      if ((await store.find(key))?.ts) return;
      const claimed = await store.claim(key, { ...thread, thread: thread.thread ?? "" }, at());
      const isIt = (message: object): boolean => holdsFile(message, name);
      const there = claimed ? null : await findInThread(key, thread, isIt);
      const ts = there ?? (await upload(key, thread, { name, text }));
      if (ts !== null) await store.shown(key, { ts, seq: key.seq, hash: "" }, at());
    });
  }

  /** The id of the file; null where Slack will not have it. */
  async function upload(
    key: MessageKey,
    { channel, thread }: Thread,
    { name, text }: Attached,
  ): Promise<string | null> {
    try {
      const sent = await poster.filesUploadV2({
        channel_id: channel,
        ...(thread === null ? {} : { thread_ts: thread }),
        filename: name,
        content: text,
      } as webApi.FilesUploadV2Arguments);
      record({ kind: "message-posted", about: key.about, seq: key.seq, found: false });
      return sent.files[0]?.files?.[0]?.id ?? "file";
    } catch (error) {
      const why = platformError(error);
      if (isUnsure(why)) throw error;
      await store.failed(key, { why, reference: null }, at());
      record({ kind: "file-not-posted", about: key.about, why });
      return null;
    }
  }

  /** `found`: it stood there already, and may show what was. */
  async function postAs(key: MessageKey, what: Showing): Promise<{ ts: string; found: boolean }> {
    const { seq, thread, message } = what;
    const claimed = await store.claim(key, { ...thread, thread: thread.thread ?? "" }, at());
    // Somebody claimed it before and Slack's answer was never heard: it may be there.
    const before = claimed ? null : await findInThread(key, thread);
    if (before) {
      await store.shown(key, { ts: before, seq: key.seq, hash: "" }, at());
      return { ts: before, found: true };
    }
    const ts = await send(key, thread, mark(key, message));
    await store.shown(key, { ts, seq, hash: hashOf(message) }, at());
    return { ts, found: false };
  }

  /** Posts, and where Slack's answer was not heard, looks before it posts again. */
  async function send(key: MessageKey, { channel, thread }: Thread, message: Message): Promise<string> {
    for (let tries = 1; ; tries++) {
      try {
        const posted = await poster.chat.postMessage({
          channel,
          ...(thread === null ? {} : { thread_ts: thread }),
          ...message,
          metadata: message.metadata,
          unfurl_links: false,
          unfurl_media: false,
        } as webApi.ChatPostMessageArguments);
        record({ kind: "message-posted", about: key.about, seq: key.seq, found: false });
        return posted.ts ?? "";
      } catch (error) {
        const why = platformError(error);
        if (isClosed(why)) return giveUp(key, why, error);
        // Slack said no: saying it again changes nothing.
        if (isUnsure(why) && tries < TRIES) {
          await sleep(500 * tries);
          const found = await findInThread(key, { channel, thread });
          if (found) return found;
          continue;
        }
        await store.failed(key, { why: why ?? "not heard", reference: null }, at());
        throw error;
      }
    }
  }

  async function update(key: MessageKey, ts: string, what: Showing): Promise<void> {
    const { seq, thread, message } = what;
    try {
      await client.chat.update({
        channel: thread.channel,
        ts,
        ...mark(key, message),
      } as webApi.ChatUpdateArguments);
    } catch (error) {
      const why = platformError(error);
      if (isClosed(why)) return giveUp(key, why, error);
      if (!isGone(why) || seq <= key.seq) throw error;
      record({ kind: "message-replaced", about: key.about, why });
      await store.failed(key, { why, reference: null }, at());
      await postAs({ ...key, seq }, what);
      return;
    }
    await store.shown(key, { ts, seq, hash: hashOf(message) }, at());
    record({ kind: "message-updated", about: key.about, seq });
  }

  /** The row says so, the log says so, and nobody tries for ever. */
  async function giveUp(key: MessageKey, why: string, cause: unknown): Promise<never> {
    const reference = newReference();
    await store.failed(key, { why, reference }, at());
    record({ kind: "message-given-up", about: key.about, why, reference });
    throw new ClosedToUs(why, reference, cause);
  }

  /** Our own message in the thread, or in the channel itself, known by its metadata. */
  async function findInThread(
    key: MessageKey,
    { channel, thread }: Thread,
    isIt = (message: object): boolean => isOurs(message, key),
  ): Promise<string | null> {
    try {
      let cursor: string | undefined;
      do {
        const asked = { channel, limit: 200, include_all_metadata: true, ...(cursor ? { cursor } : {}) };
        const page = await (thread === null
          ? client.conversations.history(asked)
          : client.conversations.replies({ ...asked, ts: thread }));
        const found = page.messages?.find(isIt);
        if (found?.ts) {
          record({ kind: "message-posted", about: key.about, seq: key.seq, found: true });
          return found.ts;
        }
        // What we posted to the channel just now is among its newest.
        cursor = thread === null ? undefined : page.response_metadata?.next_cursor || undefined;
      } while (cursor);
    } catch (error) {
      const why = platformError(error);
      if (isUnsure(why)) throw error;
      // Without the right to look we post again, and say so.
      record({ kind: "thread-not-readable", about: key.about, why });
    }
    return null;
  }

  async function whisper({ channel, thread, user, responseUrl }: Whispered, message: Message): Promise<void> {
    if (responseUrl && (await respond(responseUrl, thread, message))) return;
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
      if (isUnsure(why)) throw error;
      // Who left the channel need not hear it.
      record({ kind: "ephemeral-not-posted", why });
    }
  }

  async function respond(url: string, thread: string | null, { text, blocks }: Message): Promise<boolean> {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        response_type: "ephemeral",
        replace_original: false,
        ...(thread === null ? {} : { thread_ts: thread }),
        text,
        blocks,
      }),
    }).catch(() => null);
    await response?.body?.cancel();
    return response?.ok === true;
  }

  return { show: (about, showing) => show(about, showing), post, attach, whisper, idle };
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

/** Slack keeps no metadata with a file; nobody else puts one of this name into a case's thread. */
function holdsFile(message: object, name: string): boolean {
  const { files, bot_id } = message as { files?: { name?: string }[]; bot_id?: string };
  return bot_id !== undefined && (files ?? []).some((file) => file.name === name);
}

function isCurrent({ shownSeq, shownHash }: Posted, { seq, message }: Showing): boolean {
  return shownSeq > seq || shownHash === hashOf(message);
}

function hashOf(message: Message): string {
  return createHash("sha256").update(JSON.stringify(message)).digest("hex");
}
