// What people do in the workspace. Each act resolves when the app has heard of it, or Slack has given up telling it.
import type { InstalledApp } from "./app.ts";
import type { Events } from "./events.ts";
import type { Files, GivenFile } from "./files.ts";
import { type Channel, type FakeMessage, isMember, type Json, type World } from "./world.ts";
import { asSlackWrites, linksIn } from "./written.ts";

export interface Saying {
  user?: string;
  channel?: string;
  /** The message whose thread it goes into. */
  thread?: string;
  /** Where a test must know it beforehand. */
  ts?: string;
  files?: readonly GivenFile[];
  /** A text longer than Slack takes in one message. */
  whole?: boolean;
}

export interface People {
  /** What a person types, as they type it: "@firstfault" mentions, addresses become links. Its ts. */
  say(typed: string, saying?: Saying): Promise<string>;
  /** The same while the app was away: it stands there, and nobody told the app. */
  sayUnheard(typed: string, saying?: Saying): string;
  edit(message: Where, typed: string): Promise<void>;
  /** A message with replies leaves a tombstone, as in Slack. */
  remove(message: Where): Promise<void>;
  invite(channel: string): Promise<void>;
  kick(channel: string): Promise<void>;
  archive(channel: string): Promise<void>;
  /** An admin takes the app's tokens away. */
  revoke(): Promise<void>;
}

export interface Where {
  channel: string;
  ts: string;
}

/** How long a message may be that is typed into Slack; more becomes a snippet. */
export const TYPED_SIGNS = 12_000;
const MOST_FILES = 10;

export function createPeople(deps: { world: World; app: InstalledApp; events: Events; files: Files }): People {
  const { world, app, events, files } = deps;
  const { bot } = world;

  function write(
    typed: string,
    { user = "U1", channel = "C1", thread, ts, files: given, whole = false }: Saying,
  ): FakeMessage {
    const place = known(channel);
    if (!isMember(place, user)) throw new Error(`${user} is not in ${channel}`);
    if (typed.length > TYPED_SIGNS && !whole)
      throw new Error(`${typed.length} signs: Slack takes ${TYPED_SIGNS} in a message`);
    if (given && given.length > MOST_FILES) throw new Error(`${given.length} files: Slack takes ${MOST_FILES}`);
    const text = asSlackWrites(typed, world.names);
    return {
      channel,
      ts: ts ?? world.nextTs(),
      user,
      text,
      ...(text === "" ? {} : { blocks: composed(text, world) }),
      ...(thread ? { thread_ts: thread } : {}),
      ...(given?.length ? { files: given.map((file) => files.add(file, { user, channel })) } : {}),
    };
  }

  function known(id: string): Channel {
    const channel = world.channels.get(id);
    if (!channel) throw new Error(`there is no channel ${id}`);
    return channel;
  }

  function found({ channel, ts }: Where): FakeMessage {
    const message = world.find(channel, ts);
    if (!message) throw new Error(`there is no message ${ts} in ${channel}`);
    return message;
  }

  /** Links of the app's own domains are its to unfurl; of all others Slack shows a preview, which changes the message. */
  async function unfurl(message: FakeMessage): Promise<void> {
    const links = linksIn(message.text);
    const ours = links.filter((url) => isOurs(url));
    const others = links.filter((url) => !isOurs(url));
    if (ours.length > 0 && app.scopes.has("links:read"))
      await events.subscribed("link_shared", {
        type: "link_shared",
        channel: message.channel,
        is_bot_user_member: isMember(known(message.channel), bot.user),
        user: message.user,
        message_ts: message.ts,
        ...(message.thread_ts ? { thread_ts: message.thread_ts } : {}),
        unfurl_id: `${message.channel}-${message.ts}`,
        source: "conversations_history",
        links: ours.map((url) => ({ domain: new URL(url).hostname, url })),
        event_ts: message.ts,
      });
    if (others.length === 0) return;
    const before = structuredClone(message);
    message.attachments = others.map((url, n) => ({
      id: n + 1,
      from_url: url,
      original_url: url,
      title: url,
      fallback: url,
    }));
    await events.changedBy(message, before);
  }

  function isOurs(url: string): boolean {
    const { hostname } = new URL(url);
    return app.domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
  }

  return {
    async say(typed, saying = {}) {
      const message = write(typed, saying);
      world.messages.push(message);
      await events.said(message);
      await unfurl(message);
      return message.ts;
    },
    sayUnheard(typed, saying = {}) {
      const message = write(typed, saying);
      world.messages.push(message);
      return message.ts;
    },
    async edit(where, typed) {
      const message = found(where);
      const before = structuredClone(message);
      message.text = asSlackWrites(typed, world.names);
      message.blocks = composed(message.text, world);
      message.edited = { user: message.user, ts: world.nextTs() };
      await events.changedBy(message, before);
    },
    async remove(where) {
      const message = found(where);
      const replies = world.thread(where.channel, where.ts).length - 1;
      for (const { id } of message.files ?? []) files.remove(String(id));
      if (replies > 0) {
        const before = structuredClone(message);
        for (const key of ["blocks", "attachments", "metadata", "files", "edited"] as const) delete message[key];
        Object.assign(message, {
          subtype: "tombstone",
          user: "USLACKBOT",
          text: "This message was deleted.",
          hidden: true,
        });
        await events.changedBy(message, before);
        return;
      }
      world.messages.splice(world.messages.indexOf(message), 1);
      await events.deletedBy(message);
    },
    async invite(id) {
      const channel = known(id);
      channel.members.add(bot.user);
      const event = { type: "member_joined_channel", user: bot.user, channel: id, channel_type: "C", team: world.team };
      await events.subscribed("member_joined_channel", { ...event, inviter: "U1", event_ts: world.nextTs() });
    },
    async kick(id) {
      known(id).members.delete(bot.user);
      const event: Json = { type: "channel_left", channel: id, actor_id: "U1", event_ts: world.nextTs() };
      await events.subscribed("channel_left", event);
    },
    async archive(id) {
      known(id).archived = true;
      await events.subscribed("channel_archive", {
        type: "channel_archive",
        channel: id,
        user: "U1",
        event_ts: world.nextTs(),
      });
    },
    async revoke() {
      // The last that the app hears.
      await events.subscribed("tokens_revoked", { type: "tokens_revoked", tokens: { oauth: [], bot: [bot.user] } });
      app.revoked = true;
    },
  };
}

/** What Slack's composer makes of a typed text. */
function composed(text: string, world: World): NonNullable<FakeMessage["blocks"]> {
  return [
    {
      type: "rich_text",
      block_id: world.nextId("b"),
      elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] } as unknown as { type: string }],
    },
  ];
}
