// What stands in the fake workspace: people, channels, messages, files, open views. Knows no network.
import type { Names } from "./written.ts";

export type Json = Record<string, unknown>;

export interface Person {
  id: string;
  name: string;
  /** Another company's people are in the channels shared with it. */
  team: string;
  admin?: boolean;
}

export type ChannelKind = "channel" | "group" | "im" | "mpim";

export interface Channel {
  id: string;
  name: string;
  kind: ChannelKind;
  members: Set<string>;
  archived: boolean;
  /** Shared with another company. */
  shared: boolean;
}

export interface FakeElement {
  type: string;
  action_id?: string;
  value?: string;
  text?: { text: string };
  options?: { value: string; text: { text: string } }[];
  confirm?: unknown;
}

export interface FakeBlock {
  type: string;
  block_id?: string;
  elements?: FakeElement[];
}

export interface FakeMessage {
  channel: string;
  ts: string;
  thread_ts?: string;
  user: string;
  text: string;
  blocks?: FakeBlock[];
  attachments?: Json[];
  metadata?: { event_type: string; event_payload: Json };
  files?: Json[];
  /** Shown to this person only. */
  ephemeral?: string;
  edited?: { user: string; ts: string };
  /** "tombstone" where a message with replies was deleted. */
  subtype?: string;
  hidden?: boolean;
}

export interface OpenView extends Json {
  id: string;
  /** Who looks at it. */
  user: string;
  hash: string;
  type: "modal" | "home";
  blocks: Json[];
  callback_id: string;
  private_metadata: string;
  external_id: string;
  root_view_id: string;
  previous_view_id: string | null;
}

export interface World {
  team: string;
  domain: string;
  bot: { user: string; id: string; app: string; name: string };
  people: Map<string, Person>;
  channels: Map<string, Channel>;
  /** In the order they came, those for one person included. A deleted one is gone. */
  messages: FakeMessage[];
  /** Modals, the newest last, and home tabs. */
  views: OpenView[];
  names: Names;
  /** A message's time, which is also its name: later than all before. */
  nextTs(): string;
  nextId(prefix: string): string;
  find(channel: string, ts: string): FakeMessage | undefined;
  /** The message and its replies, oldest first, without those for one person. */
  thread(channel: string, ts: string): FakeMessage[];
}

const TEAM = "T1";
const OTHER_TEAM = "T2";
const PEOPLE = ["wei", "ana", "lea", "tom", "ada", "kim", "sam", "eva"];

export function createWorld(): World {
  const bot = { user: "UBOT", id: "BBOT", app: "A1", name: "firstfault" };
  const people = new Map<string, Person>(
    PEOPLE.map((name, n) => [`U${n + 1}`, { id: `U${n + 1}`, name, team: TEAM, admin: name === "ada" }]),
  );
  people.set("U9", { id: "U9", name: "zoe", team: OTHER_TEAM });
  const ours = [...people.values()].filter(({ team }) => team === TEAM).map(({ id }) => id);
  const channels = new Map<string, Channel>();
  const add = (id: string, name: string, kind: ChannelKind, more: Partial<Channel> = {}): void => {
    channels.set(id, {
      id,
      name,
      kind,
      members: new Set([...ours, bot.user]),
      archived: false,
      shared: false,
      ...more,
    });
  };
  add("C1", "training", "channel");
  add("C2", "infra", "channel");
  add("C3", "random", "channel", { members: new Set(ours) });
  add("C4", "with-partner", "channel", { shared: true, members: new Set([...people.keys(), bot.user]) });
  add("G1", "oncall", "group");
  add("D1", "", "im", { members: new Set(["U1", bot.user]) });
  add("D2", "", "im", { members: new Set(["U2", bot.user]) });

  const messages: FakeMessage[] = [];
  let micro = 0;
  let ids = 0;
  return {
    team: TEAM,
    domain: "acme",
    bot,
    people,
    channels,
    messages,
    views: [],
    names: {
      people: new Map([...people.values(), { id: bot.user, name: bot.name }].map(({ id, name }) => [name, id])),
      channels: new Map([...channels.values()].flatMap(({ id, name, kind }) => (kind === "im" ? [] : [[name, id]]))),
    },
    nextTs() {
      micro = Math.max(micro + 100, Date.now() * 1000);
      return `${Math.floor(micro / 1_000_000)}.${String(micro % 1_000_000).padStart(6, "0")}`;
    },
    nextId: (prefix) => `${prefix}${(++ids).toString(36).toUpperCase().padStart(8, "0")}`,
    find: (channel, ts) => messages.find((one) => one.channel === channel && one.ts === ts),
    thread: (channel, ts) =>
      messages.filter((one) => one.channel === channel && !one.ephemeral && (one.ts === ts || one.thread_ts === ts)),
  };
}

/** Everyone in this person's company, and whoever shares the channel. */
export function isMember(channel: Channel | undefined, user: string): boolean {
  return channel?.members.has(user) ?? false;
}
