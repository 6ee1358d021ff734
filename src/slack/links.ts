// A link to a page or a case of ours in somebody's message: shown as a card, to those who may see it.
import type { webApi } from "@slack/bolt";
import * as z from "zod";
import { readAddress } from "../case/address.ts";
import type { Cases } from "../case/case.ts";
import { playbookView } from "../case/playbook-view.ts";
import type { Playbooks } from "../case/walk.ts";
import type { Team } from "./answering.ts";
import { caseCard, playbookCard, stepCard } from "./card.ts";
import { isUnsure, platformError } from "./failure.ts";
import type { RecordSlack } from "./happened.ts";
import type { Block } from "./rich.ts";

export interface LinksDeps {
  cases: Cases;
  playbooks: Playbooks;
  client: Pick<webApi.WebClient, "chat" | "users">;
  record: RecordSlack;
  baseUrl: string | null;
  bot: string;
}

export const LinkShared = z.object({
  channel: z.string(),
  user: z.string(),
  message_ts: z.string(),
  unfurl_id: z.string().optional(),
  source: z.string().optional(),
  links: z.array(z.object({ url: z.string() })),
});
export type LinkShared = z.infer<typeof LinkShared>;

/** `foreign`: another company is in the channel, so that whoever wrote it may be of it. */
export type Links = (event: LinkShared, team: Team, foreign: boolean) => Promise<void>;

/** Slack takes no more cards in one message. */
const MOST = 5;

export function createLinks({ cases, playbooks, client, record, baseUrl, bot }: LinksDeps): Links {
  return async (event, team, foreign) => {
    if (baseUrl === null || event.user === bot) return;
    if (foreign && !(await isOurs(event.user, team))) return record({ kind: "stranger-refused" });
    const unfurls: Record<string, { blocks: Block[] }> = {};
    for (const { url } of event.links.slice(0, MOST)) {
      const blocks = await cardFor(url, baseUrl, event.channel, team);
      if (blocks) unfurls[url] = { blocks };
    }
    if (Object.keys(unfurls).length > 0) await unfurl(event, unfurls);
  };

  async function cardFor(url: string, base: string, channel: string, { team }: Team): Promise<Block[] | null> {
    const to = readAddress(url, base);
    if (to?.kind === "case") return caseFor({ team, id: to.id }, to.seq, channel);
    const playbook = to && playbooks.get(to.playbook);
    if (!playbook) return null;
    const view = playbookView(playbook, to.language);
    const step = view.steps.find(({ id }) => id === to.step);
    return step ? stepCard(view, step) : playbookCard(view, null).blocks;
  }

  /** Whoever reads this channel reads the case there anyway; nobody else sees anything of it. */
  async function caseFor(id: { team: string; id: string }, seq: number, channel: string): Promise<Block[] | null> {
    const found = await cases.load(id);
    const entry = found?.entries.find((one) => one.seq === seq);
    if (!found || !entry || found.place.channel !== channel) return null;
    const [then, now] = [await cases.view(id, undefined, seq), await cases.view(id)];
    return then && now ? caseCard(then, now, `${entry.at.slice(0, 10)} ${entry.at.slice(11, 16)} UTC`) : null;
  }

  async function isOurs(user: string, { team }: Team): Promise<boolean> {
    try {
      return (await client.users.info({ user })).user?.team_id === team;
    } catch (error) {
      if (isUnsure(platformError(error))) throw error;
      return false;
    }
  }

  async function unfurl(event: LinkShared, unfurls: Record<string, { blocks: Block[] }>): Promise<void> {
    const { channel, message_ts: ts, unfurl_id, source } = event;
    // A message that is still being written has no place yet.
    const where = source === "composer" && unfurl_id ? { unfurl_id, source } : { channel, ts };
    try {
      await client.chat.unfurl({ ...where, unfurls } as unknown as webApi.ChatUnfurlArguments);
    } catch (error) {
      const why = platformError(error);
      if (isUnsure(why)) throw error;
      // The message is gone, or Slack does not want the card: the link itself stands there.
      record({ kind: "card-not-shown", why });
    }
  }
}
