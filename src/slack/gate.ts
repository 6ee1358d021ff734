// Whether the bot speaks at all in a channel, and to whom: asked before anything is read there.
import * as z from "zod";
import { type ChannelStore, modeIn, UNSET } from "../case/channels.ts";
import { slackWordsFor } from "../locale/slack-words.ts";
import type { Answering, LookAt, Pointed, Team, Ways } from "./answering.ts";
import { sayMessage } from "./blocks.ts";
import type { Command, Commanding } from "./commanding.ts";
import type { RecordSlack } from "./happened.ts";
import type { LinkShared, Links } from "./links.ts";
import type { Said } from "./message.ts";
import type { Outbox, Whispered } from "./outbox.ts";

export interface GateDeps {
  channels: ChannelStore;
  answering: Answering;
  commanding: Commanding;
  links: Links;
  outbox: Outbox;
  record: RecordSlack;
  language: "en" | "zh";
  now(): Date;
}

/** What Slack says along with a message. */
export interface Delivered {
  /** Another company is in the channel. */
  shared: boolean;
  /** As a mention; the same message comes as a message, too. */
  asMention: boolean;
}

export interface Gate {
  message(said: Said, team: Team, delivered: Delivered): Promise<void>;
  pointed(at: Pointed, team: Team): Promise<void>;
  command(command: Command, team: Team): Promise<void>;
  look(at: LookAt, team: Team): Promise<void>;
  links(event: LinkShared, team: Team, shared: boolean): Promise<void>;
  /** True where another company's person did it, who is told so: buttons and forms are for our own. */
  refuses(body: unknown): Promise<boolean>;
}

export function createGate(deps: GateDeps): Gate {
  const { channels, answering, commanding, links, outbox, record, language, now } = deps;
  const words = slackWordsFor(language);

  async function waysIn({ team }: Team, channel: string, shared = false): Promise<Ways & { shared: boolean }> {
    const at = { team, channel };
    const found = (await channels.of(at)) ?? UNSET;
    if (shared && !found.shared) await channels.markShared(at, now().toISOString());
    const settings = { ...found, shared: shared || found.shared };
    return { mode: modeIn(settings), language: settings.language, shared: settings.shared };
  }

  function sayOff(to: Whispered, { shared, language: spoken }: Ways & { shared: boolean }): Promise<void> {
    const { off, offShared } = slackWordsFor(spoken ?? language);
    return outbox.whisper(to, sayMessage(shared ? offShared : off));
  }

  return {
    async message(said, team, { shared, asMention }) {
      const ways = await waysIn(team, said.channel, shared);
      if (ways.mode !== "off") return answering.message(said, team, ways);
      const { channel, user } = said;
      if (asMention) await sayOff({ channel, user, thread: said.reply ? said.thread : null }, ways);
    },
    async pointed(at, team) {
      const ways = await waysIn(team, at.channel);
      if (ways.mode !== "off") return answering.pointed(at, team, ways);
      const { channel, thread, by, responseUrl } = at;
      await sayOff({ channel, thread, user: by.id, responseUrl }, ways);
    },
    async look(at, team) {
      const ways = await waysIn(team, at.channel);
      if (ways.mode !== "off") return answering.look(at, team, ways);
      await sayOff({ channel: at.channel, thread: at.thread, user: at.by.id }, ways);
    },
    async links(event, team, shared) {
      const ways = await waysIn(team, event.channel, shared);
      if (ways.mode !== "off") await links(event, team, ways.shared);
    },
    async command(command, team) {
      const ways = await waysIn(team, command.channel);
      if (ways.mode !== "off" || !speaks(command)) return commanding(command, team, ways);
      const { channel, by, responseUrl } = command;
      await sayOff({ channel, thread: null, user: by.id, responseUrl }, ways);
    },
    async refuses(body) {
      const acted = Acted.safeParse(body);
      if (!acted.success || !isStranger(acted.data)) return false;
      const { user, channel, container } = acted.data;
      record({ kind: "stranger-refused" });
      const thread = container?.thread_ts ?? null;
      if (channel) await outbox.whisper({ channel: channel.id, thread, user: user.id }, sayMessage(words.strangers));
      return true;
    },
  };
}

/** What somebody did with a button, a menu, a shortcut or a form. */
const Acted = z.object({
  user: z.object({ id: z.string(), team_id: z.string() }),
  team: z.object({ id: z.string() }),
  enterprise: z.unknown().optional(),
  channel: z.object({ id: z.string() }).optional(),
  container: z.object({ thread_ts: z.string().optional() }).optional(),
});

/** Within one organisation people of several workspaces work together. */
function isStranger({ user, team, enterprise }: z.infer<typeof Acted>): boolean {
  return user.team_id !== team.id && !enterprise;
}

/** Whether everyone in the channel would see what comes of it. */
function speaks({ text }: Command): boolean {
  return /^\s*(?:diagnose|playbook)\s+\S/.test(text);
}
