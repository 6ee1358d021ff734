// What every method of the fake Web API shares: its form, its answers, and how a message looks to apps.
import type { Refused } from "./payload.ts";
import type { FakeMessage, Json, World } from "./world.ts";

export type Said = { ok: true; [key: string]: unknown } | { ok: false; error: string; [key: string]: unknown };
export type Method = (args: Args) => Said;

/** A call's arguments; what came as JSON text is parsed. */
export type Args = Readonly<Record<string, unknown>>;

/** What changed, for those who listen. */
export interface Heard {
  posted(message: FakeMessage): void;
  changed(message: FakeMessage, before: FakeMessage): void;
  deleted(message: FakeMessage): void;
}

export interface MethodDeps {
  world: World;
  heard: Heard;
  files: {
    info(id: string): Json | undefined;
    /** A place for an app's file; its id and where to send it. */
    open(name: string, length: number): { id: string; url: string };
    /** What came there, as a file of the channel; undefined where nothing or something else came. */
    finish(id: string, channel: string): Json | undefined;
  };
}

export const ok = (more: Json = {}): Said => ({ ok: true, ...more });
export const no = (error: string, more: Json = {}): Said => ({ ok: false, error, ...more });
export const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** What came as "true", true or "1". */
export const flag = (value: unknown): boolean => value === true || value === "true" || value === "1";

export function refusal(refused: Refused): Said | null {
  return refused && no(refused.error, { response_metadata: { messages: refused.messages } });
}

/** A message as Slack shows it to apps; metadata only to the app that wrote it, and where it asks. */
export function forApps(message: FakeMessage, world: World, metadata = true): Json {
  const { channel: _channel, ephemeral: _ephemeral, metadata: data, ...rest } = message;
  const ours = message.user === world.bot.user;
  const replies = world.messages.filter(
    (one) => !one.ephemeral && one.thread_ts === message.ts && one.ts !== message.ts,
  );
  return {
    type: "message",
    team: world.people.get(message.user)?.team ?? world.team,
    ...rest,
    ...(ours ? { bot_id: world.bot.id, app_id: world.bot.app } : {}),
    ...(replies.length > 0 ? { thread_ts: message.ts, reply_count: replies.length } : {}),
    ...(data && metadata ? { metadata: data } : {}),
  };
}
