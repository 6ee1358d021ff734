// /firstfault: opens a case for a text, shows a playbook, or tells the one who typed it how.
import type { Person } from "../case/entry.ts";
import { playbookView } from "../case/playbook-view.ts";
import type { Playbooks } from "../case/walk.ts";
import type { Language } from "../facts/language.ts";
import { slackWordsFor } from "../locale/slack-words.ts";
import type { ReadPaste } from "../reading/read.ts";
import type { Answering, Team, Ways } from "./answering.ts";
import { askedMessage, type Message, sayMessage } from "./blocks.ts";
import { playbookCard } from "./card.ts";
import { ClosedToUs } from "./failure.ts";
import type { Outbox } from "./outbox.ts";
import type { Settings } from "./settings.ts";
import { readSlackText } from "./text.ts";

export interface CommandingDeps {
  answering: Answering;
  outbox: Outbox;
  read: ReadPaste;
  playbooks: Playbooks;
  language: "en" | "zh";
  baseUrl: string | null;
  settings: Pick<Settings, "ask">;
}

export interface Command {
  text: string;
  channel: string;
  by: Person;
  /** The same for every delivery of it. */
  reference: string;
  responseUrl: string | null;
  /** Opens a form, for three seconds. */
  trigger: string | null;
}

export type Commanding = (command: Command, team: Team, ways: Ways) => Promise<void>;

export function createCommanding(deps: CommandingDeps): Commanding {
  const { answering, outbox, read, playbooks, language, baseUrl, settings } = deps;
  const spoken = (ways: Ways): Language => ways.language ?? language;

  return async (command, team, ways) => {
    const words = slackWordsFor(spoken(ways));
    const [, verb = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(command.text) ?? [];
    try {
      if (verb === "diagnose" && rest !== "") return await diagnose(command, rest, team, ways);
      if (verb === "playbook" && playbooks.has(rest)) return await showPlaybook(command, rest, team, ways);
    } catch (error) {
      if (!(error instanceof ClosedToUs)) throw error;
      return tell(command, words.notHere);
    }
    if (verb === "settings") {
      const { channel, by: person, trigger } = command;
      return settings.ask(team.team, { channel, thread: null, person, trigger });
    }
    if (verb === "playbook") return tell(command, words.command.noPlaybook([...playbooks.keys()]));
    await tell(command, verb === "" || verb === "help" ? words.command.help : words.command.usage);
  };

  /** In the channel, so that everyone sees what the case is about, and it has a thread. */
  async function diagnose(command: Command, typed: string, team: Team, ways: Ways): Promise<void> {
    const { channel, by, reference } = command;
    const words = slackWordsFor(spoken(ways));
    const text = readSlackText(typed);
    const { given } = await read({ text, files: [], message: reference });
    if (given.verdict.label === "none") return tell(command, words.nothing);
    const ts = await post(command, team, askedMessage(text, by.id, words));
    const said = { channel, thread: ts, ts, reference: ts, user: by.id, raw: typed, text, files: [] };
    await answering.message({ ...said, addressed: true, mentioned: true, reply: false, edited: false }, team, ways);
  }

  async function showPlaybook(command: Command, id: string, team: Team, ways: Ways): Promise<void> {
    const playbook = playbooks.get(id);
    if (playbook) await post(command, team, playbookCard(playbookView(playbook, spoken(ways)), baseUrl));
  }

  function post({ channel, reference }: Command, { team }: Team, message: Message): Promise<string> {
    return outbox.post({ team, about: `reply:${reference}`, seq: 0 }, { channel, thread: null }, message);
  }

  function tell({ channel, by, responseUrl }: Command, text: string): Promise<void> {
    return outbox.whisper({ channel, thread: null, user: by.id, responseUrl }, sayMessage(text));
  }
}
