// What the bot does with a message: reads it, opens a case or adds to one, and says what came of it. Silence is the rule.

import type { webApi } from "@slack/bolt";
import type { CaseId, Cases } from "../case/case.ts";
import type { Person } from "../case/entry.ts";
import type { Given } from "../case/fresh.ts";
import type { CaseRecord, Place } from "../case/store.ts";
import { speaksUnasked } from "../case/unasked.ts";
import { slackWordsFor } from "../locale/slack-words.ts";
import { type Message, sayMessage, toMessage } from "./blocks.ts";
import type { RecordSlack } from "./happened.ts";
import type { Said } from "./message.ts";
import type { Outbox } from "./outbox.ts";
import { looksPasted, readSlackText, withoutMention } from "./text.ts";

type Language = "en" | "zh";

export interface AnsweringDeps {
  cases: Cases;
  outbox: Outbox;
  client: Pick<webApi.WebClient, "conversations">;
  /** Redacts and diagnoses; big pastes elsewhere, so that acknowledging stays quick. */
  read(text: string, message: string): Promise<Given>;
  record: RecordSlack;
  language: Language;
  /** The public address of the web pages; null where there is none. */
  baseUrl: string | null;
  bot: string;
}

export interface Team {
  team: string;
  enterprise: string;
}

export interface Answering {
  message(said: Said, team: Team): Promise<void>;
  /** Brings a case's message up to date; says whether anything changed. */
  show(id: CaseId): Promise<boolean>;
}

export function createAnswering(deps: AnsweringDeps): Answering {
  const { cases, outbox, client, read, record, language, baseUrl, bot } = deps;

  async function message(said: Said, team: Team): Promise<void> {
    const place: Place = { ...team, channel: said.channel, thread: said.thread };
    const there = await cases.at(place);
    if (!there) return fresh(said, place);
    const id = { team: team.team, id: there.id };
    // The message that opened it, come again: as a mention and as a message, or after a crash.
    if (isKnown(there, said) && !said.edited) {
      await show(id);
      return;
    }
    if (looksPasted(said.raw) || isKnown(there, said)) return further(said, id);
    if (said.mentioned) await reply(said, place, slackWordsFor(there.language).pasteOrClick);
  }

  /** No case here yet. In channels we speak only of a failure we know; to whom speaks to us we always answer. */
  async function fresh(said: Said, place: Place): Promise<void> {
    const began = Date.now();
    let given = await read(said.text, said.ts);
    if (said.mentioned && said.reply && given.verdict.label === "none") given = (await rootOf(said)) ?? given;
    const { verdict } = given;
    const speaks = verdict.language ?? language;
    if (!said.addressed && !speaksUnasked(verdict)) {
      record({ kind: "stayed-silent", label: verdict.label, status: verdict.status, ms: Date.now() - began });
      return;
    }
    const by: Person = { id: said.user };
    const opened = await cases.open({ place, given, language: speaks, by });
    if (opened.kind === "nothing") {
      const words = slackWordsFor(speaks);
      return reply(said, place, said.text.trim() === "" ? words.empty : words.nothing);
    }
    const { id } = opened.case;
    if (opened.kind === "opened")
      record({ kind: "case-opened", case: id, label: verdict.label, status: verdict.status, ms: Date.now() - began });
    await show({ team: place.team, id });
  }

  /** Called under a log that we had not answered: the log is the thread's first message. */
  async function rootOf({ channel, thread }: Said): Promise<Given | null> {
    const page = await client.conversations.replies({ channel, ts: thread, limit: 1 });
    const root = page.messages?.find((one) => one.ts === thread);
    if (!root?.text) return null;
    const given = await read(readSlackText(withoutMention(root.text, bot)), thread);
    return given.verdict.label === "none" ? null : given;
  }

  async function further(said: Said, id: CaseId): Promise<void> {
    const changed = await cases.paste(id, await read(said.text, said.ts), { id: said.user });
    record({ kind: "case-changed", case: id.id, how: `paste ${changed.kind}`, step: null });
    if (changed.kind === "gone") return;
    if (changed.kind === "ended") {
      const { language: spoken, place } = changed.case;
      return reply(said, place, slackWordsFor(spoken).over);
    }
    await show(id);
  }

  async function reply(said: Said, place: Place, text: string): Promise<void> {
    const key = { team: place.team, about: `reply:${said.channel}:${said.ts}`, seq: 0 };
    await outbox.post(key, { channel: said.channel, thread: said.thread }, sayMessage(text));
  }

  async function show(id: CaseId): Promise<boolean> {
    const record = await cases.load(id);
    const view = record && (await cases.view(id));
    if (!record || !view) return false;
    const message: Message = toMessage(view, baseUrl);
    return outbox.show(
      { team: id.team, about: id.id, seq: record.entries.length - 1 },
      { channel: record.place.channel, thread: record.place.thread },
      message,
    );
  }

  return { message, show };
}

function isKnown(record: CaseRecord, { ts }: Said): boolean {
  return record.entries.some((entry) => entry.kind === "paste" && entry.message === ts);
}
