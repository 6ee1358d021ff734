// The app as it is installed in the fake workspace: what its manifest asked for, and its keys.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { ChannelKind } from "./world.ts";

/** The parts of manifest.yml that decide what an app hears and may do. */
const Manifest = z.object({
  features: z
    .object({
      shortcuts: z.array(z.object({ type: z.enum(["message", "global"]), callback_id: z.string() })).default([]),
      slash_commands: z.array(z.object({ command: z.string() })).default([]),
      unfurl_domains: z.array(z.string()).default([]),
    })
    .default({ shortcuts: [], slash_commands: [], unfurl_domains: [] }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
  settings: z.object({ event_subscriptions: z.object({ bot_events: z.array(z.string()) }) }),
});

export interface InstalledApp {
  botToken: string;
  appToken: string;
  signingSecret: string;
  scopes: Set<string>;
  /** Of `scopes` nothing was taken away: a call without its scope is the app's own fault then. */
  whole: boolean;
  events: Set<string>;
  shortcuts: { type: "message" | "global"; callback_id: string }[];
  commands: string[];
  domains: string[];
  revoked: boolean;
}

/** `manifest` as read from manifest.yml; `scopes` where fewer were granted than it asks for. */
export function installApp(manifest: unknown, keys: Partial<Keys> = {}, scopes?: readonly string[]): InstalledApp {
  const { features, oauth_config, settings } = Manifest.parse(manifest);
  return {
    botToken: keys.botToken ?? `xoxb-${randomBytes(12).toString("hex")}`,
    appToken: keys.appToken ?? `xapp-1-${randomBytes(12).toString("hex")}`,
    signingSecret: keys.signingSecret ?? randomBytes(16).toString("hex"),
    scopes: new Set(scopes ?? oauth_config.scopes.bot),
    whole: scopes === undefined,
    events: new Set(settings.event_subscriptions.bot_events),
    shortcuts: features.shortcuts,
    commands: features.slash_commands.map(({ command }) => command),
    domains: features.unfurl_domains,
    revoked: false,
  };
}

export interface Keys {
  botToken: string;
  appToken: string;
  signingSecret: string;
}

/** `channels:history`, `im:read` and so on. */
export function scopeFor(kind: ChannelKind, what: "history" | "read"): string {
  return `${kind === "channel" ? "channels" : kind === "group" ? "groups" : kind}:${what}`;
}

/** The subscription under which messages of such a channel are heard. */
export function messageEventFor(kind: ChannelKind): string {
  return `message.${kind === "channel" ? "channels" : kind === "group" ? "groups" : kind}`;
}
