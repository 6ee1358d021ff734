// What an app hears: events in Slack's envelope, of channels it is in, as far as it subscribed to them and has the scope.
import { randomUUID } from "node:crypto";
import { type InstalledApp, messageEventFor, scopeFor } from "./app.ts";
import type { Deliveries, Delivery } from "./delivery.ts";
import { forApps, type Heard } from "./method.ts";
import { type FakeMessage, isMember, type Json, type World } from "./world.ts";

export interface Events extends Heard {
  /** Delivers any event at all, as it is; for what no ordinary act brings about. */
  raw(event: Json, id?: string): Promise<Delivery>;
  /** Delivers it if the app subscribed to it under this name. */
  subscribed(name: string, event: Json): Promise<void>;
  /** Somebody's message, as all the events it makes. */
  said(message: FakeMessage): Promise<void>;
  /** What the last acts of ours set off by themselves has arrived. */
  changedBy(message: FakeMessage, before: FakeMessage): Promise<void>;
  deletedBy(message: FakeMessage): Promise<void>;
}

export function createEvents({
  world,
  app,
  deliveries,
}: {
  world: World;
  app: InstalledApp;
  deliveries: Deliveries;
}): Events {
  const { team, bot } = world;

  function raw(event: Json, id = `Ev${randomUUID().slice(0, 8).toUpperCase()}`): Promise<Delivery> {
    const channel = world.channels.get(String(event.channel));
    const payload = {
      token: "gIkuvaNzQIHg97ATvDxqgjtO",
      team_id: team,
      context_team_id: team,
      context_enterprise_id: null,
      api_app_id: bot.app,
      event,
      type: "event_callback",
      event_id: id,
      event_time: Math.floor(Date.now() / 1000),
      authorizations: [
        { enterprise_id: null, team_id: team, user_id: bot.user, is_bot: true, is_enterprise_install: false },
      ],
      is_ext_shared_channel: channel?.shared ?? false,
      event_context: `4-${randomUUID()}`,
    };
    return deliveries.deliver({ kind: "events_api", payload });
  }

  async function subscribed(name: string, event: Json): Promise<void> {
    if (app.events.has(name) && !app.revoked) await raw(event);
  }

  /** Whether the app hears the messages of this channel. */
  function hears(id: string): boolean {
    const channel = world.channels.get(id);
    return (
      channel !== undefined &&
      isMember(channel, bot.user) &&
      app.events.has(messageEventFor(channel.kind)) &&
      app.scopes.has(scopeFor(channel.kind, "history"))
    );
  }

  async function heard(id: string, event: Json): Promise<void> {
    if (!hears(id) || app.revoked) return;
    await raw({ type: "message", channel: id, channel_type: world.channels.get(id)?.kind, ...event });
  }

  async function said(message: FakeMessage): Promise<void> {
    const { channel: id, ts, user, thread_ts, files } = message;
    const channel = world.channels.get(id);
    const theirs = world.people.get(user)?.team ?? team;
    const event = {
      ...forApps(message, world),
      ...(files ? { subtype: "file_share", upload: false, files: files.map((file) => fileIn(file, theirs)) } : {}),
      ...(user === bot.user ? {} : { client_msg_id: randomUUID() }),
      ...(thread_ts && thread_ts !== ts ? { parent_user_id: world.find(id, thread_ts)?.user ?? "" } : {}),
      ...(theirs === team ? {} : { user_team: theirs, source_team: theirs }),
      event_ts: ts,
    };
    const called = message.text.includes(`<@${bot.user}>`) && channel?.kind !== "im" && isMember(channel, bot.user);
    await Promise.all([
      called && app.scopes.has("app_mentions:read") && user !== bot.user
        ? subscribed("app_mention", { ...event, type: "app_mention", channel: id })
        : undefined,
      heard(id, event),
    ]);
  }

  async function changedBy(message: FakeMessage, before: FakeMessage): Promise<void> {
    const at = world.nextTs();
    await heard(message.channel, {
      subtype: "message_changed",
      message: forApps(message, world),
      previous_message: forApps(before, world),
      hidden: true,
      ts: at,
      event_ts: at,
    });
  }

  async function deletedBy(message: FakeMessage): Promise<void> {
    const at = world.nextTs();
    await heard(message.channel, {
      subtype: "message_deleted",
      previous_message: forApps(message, world),
      deleted_ts: message.ts,
      hidden: true,
      ts: at,
      event_ts: at,
    });
  }

  return {
    raw,
    subscribed,
    said,
    changedBy,
    deletedBy,
    // What the app itself does, it hears as well.
    posted: (message) => void said(message),
    changed: (message, before) => void changedBy(message, before),
    deleted: (message) => void deletedBy(message),
  };

  /** Of another company's file an app gets the number only, and asks with files.info. */
  function fileIn(file: Json, theirs: string): Json {
    return theirs === team ? file : { id: file.id, mode: "file_access", file_access: "check_file_info" };
  }
}
