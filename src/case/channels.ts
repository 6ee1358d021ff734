// How the bot behaves in one channel, as its people set it; what a database must do for that. Filled by store/.
import type { Language } from "../facts/language.ts";

/** Speaks of failures it knows by itself; only where it is spoken to; not at all. */
export const MODES = ["automatic", "mention", "off"] as const;
export type Mode = (typeof MODES)[number];

export interface ChannelSettings {
  mode: Mode;
  /** null: the language of the person's own words. */
  language: Language | null;
  /** An admin of the workspace set it so. */
  byAdmin: boolean;
  /** Slack said that another company is in it. */
  shared: boolean;
}

export interface ChannelAt {
  team: string;
  channel: string;
}

export interface ChannelStore {
  of(at: ChannelAt): Promise<ChannelSettings | undefined>;
  set(at: ChannelAt, settings: Omit<ChannelSettings, "shared">, by: { actor: string; at: string }): Promise<void>;
  /** Slack said that another company is in it; its settings stay. */
  markShared(at: ChannelAt, when: string): Promise<void>;
}

/** Where nobody set anything. */
export const UNSET: ChannelSettings = { mode: "automatic", language: null, byAdmin: false, shared: false };

/** A channel with another company in it is off until an admin turns it on. */
export function modeIn({ mode, byAdmin, shared }: ChannelSettings): Mode {
  return shared && !byAdmin ? "off" : mode;
}
