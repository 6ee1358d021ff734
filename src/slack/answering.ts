// What the bot does with a message: reads it, opens a case or adds to one, and says what came of it. Silence is the rule.

import type { webApi } from "@slack/bolt";
import type { CaseId, Cases } from "../case/case.ts";
import type { Mode } from "../case/channels.ts";
import { PASTE, type Person } from "../case/entry.ts";
import type { Given } from "../case/fresh.ts";
import { isEvidence, readPasted } from "../case/pasted-output.ts";
import type { CaseRecord, Place } from "../case/store.ts";
import { belongsTogether } from "../case/together.ts";
import { speaksUnasked } from "../case/unasked.ts";
import type { Verdict } from "../diagnose/verdict-type.ts";
import { slackWordsFor } from "../locale/slack-words.ts";
import type { Read } from "../reading/read.ts";
import type { LeftOut } from "../reading/unreadable.ts";
import { offerMessage, sayMessage, toMessage } from "./blocks.ts";
import { type Look, lookButton } from "./buttons.ts";
import { type Contents, contentOf } from "./contents.ts";
import { createEarlyReplies, type Early } from "./early.ts";
import { ClosedToUs, isUnsure, platformError } from "./failure.ts";
import type { RecordSlack } from "./happened.ts";
import { createLanes } from "./lanes.ts";
import { isLog, sayLeft } from "./left-out.ts";
import { bringsPaste, type Said } from "./message.ts";
import type { Attached, Outbox, Thread } from "./outbox.ts";
import { isTalk, looksPasted } from "./text.ts";

type Language = "en" | "zh";

export interface AnsweringDeps {
  cases: Cases;
  outbox: Outbox;
  client: Pick<webApi.WebClient, "chat">;
  contents: Contents;
  record: RecordSlack;
  language: Language;
  /** The public address of the web pages; null where there is none. */
  baseUrl: string | null;
  bot: string;
  /** From this long on, whoever waits for an answer is told that it is being read. */
  longMs: number;
}

export interface Team {
  team: string;
  enterprise: string;
}

/** A message that somebody points us at, and who they are. */
export interface Pointed {
  channel: string;
  ts: string;
  thread: string;
  /** As the shortcut brought it. */
  message: { text?: unknown; files?: unknown; user?: unknown; bot_id?: unknown };
  /** The same for every delivery of it. */
  reference: string;
  by: Person;
  responseUrl: string | null;
}

/** A message that its sender pressed a button for. */
export interface LookAt extends Look {
  channel: string;
  by: Person;
  /** The same for every delivery of the click. */
  reference: string;
}

/** How it is done in a channel. */
export interface Ways {
  mode: Mode;
  /** null: the language of the person's own words. */
  language: Language | null;
}

export interface Answering {
  message(said: Said, team: Team, ways: Ways): Promise<void>;
  /** Reads any message that somebody asks for, whoever wrote it; always answers. */
  pointed(at: Pointed, team: Team, ways: Ways): Promise<void>;
  /** Opens a case of its own for a message, because its sender wants one. */
  look(at: LookAt, team: Team, ways: Ways): Promise<void>;
  /** Brings a case's message up to date; says whether anything changed. */
  show(id: CaseId): Promise<boolean>;
}

export function createAnswering(deps: AnsweringDeps): Answering {
  const { cases, outbox, client, contents, record, language, baseUrl, bot, longMs } = deps;

  // Whoever sends several messages in a row is answered in their order, so that the later ones find the case.
  const byPerson = createLanes();
  /** The newest message of a person that we offered to look at; older ones are let go of. */
  const offered = new Map<string, string>();
  const early = createEarlyReplies();

  function message(said: Said, team: Team, ways: Ways): Promise<void> {
    if (said.reply) return heard(said, team, ways);
    return byPerson.run(`${team.team}/${said.channel}/${said.user}`, () => heard(said, team, ways));
  }

  async function heard(said: Said, team: Team, ways: Ways): Promise<void> {
    const place: Place = { ...team, channel: said.channel, thread: said.thread };
    const there = (await cases.at(place)) ?? (await joined(said.thread, place));
    if (!there) return fresh(said, place, ways);
    const id = { team: team.team, id: there.id };
    // The message that opened it, come again: as a mention and as a message, or after a crash.
    if (isKnown(there, said) && !said.edited) {
      await show(id);
      return;
    }
    if (bringsPaste(said) || isKnown(there, said)) return further(said, id);
    if (said.mentioned) await reply(said, place, slackWordsFor(there.language).pasteOrClick);
  }

  async function pointed(at: Pointed, team: Team, ways: Ways): Promise<void> {
    const { channel, ts, thread, reference, by, responseUrl } = at;
    const tell = (text: string): Promise<void> =>
      outbox.whisper({ channel, thread, user: by.id, responseUrl }, sayMessage(text));
    try {
      // Of what we said ourselves there is nothing to read.
      if (at.message.user === bot) return await tell(slackWordsFor(language).readAlready);
      const brought = contentOf(at.message, bot);
      // What other programs post is seldom in the text that a shortcut brings.
      const whole = at.message.bot_id || brought.text.trim() === "" ? await contents.find(at) : null;
      const said: Said = {
        ...{ channel, thread, ts, reference, user: by.id, ...(whole ?? brought) },
        ...{ addressed: true, mentioned: false, reply: thread !== ts, edited: false },
      };
      const place = { ...team, channel, thread };
      const there = (await cases.at(place)) ?? (await joined(thread, place));
      if (!there) return await fresh(said, place, ways);
      const id = { team: team.team, id: there.id };
      if (!isKnown(there, said)) return await further(said, id);
      await show(id);
      await tell(slackWordsFor(there.language).readAlready);
    } catch (error) {
      if (!(error instanceof ClosedToUs)) throw error;
      await tell(slackWordsFor(language).notHere);
    }
  }

  async function look({ channel, ts, thread, by, reference }: LookAt, team: Team, ways: Ways): Promise<void> {
    const tell = (text: string): Promise<void> => outbox.whisper({ channel, thread, user: by.id }, sayMessage(text));
    const words = slackWordsFor(ways.language ?? language);
    const place = { ...team, channel, thread };
    if (await cases.at(place)) return tell(words.readAlready);
    const found = await contents.find({ channel, thread, ts });
    if (!found) return tell(words.messageGone);
    const said: Said = {
      ...{ channel, thread, ts, reference, user: by.id, ...found },
      ...{ addressed: true, mentioned: false, reply: ts !== thread, edited: false },
    };
    const began = Date.now();
    const result = await contents.read(said, ts);
    await openCase(said, place, result, ways, began);
  }

  /** The case that a message belongs to although it stands outside of its thread. */
  function joined(ts: string, { team, channel }: Place): Promise<CaseRecord | undefined> {
    return cases.thatRead({ team, channel, from: ts, to: ts });
  }

  /** Slack splits long pastes, and people send one rank's log after another: what follows at once belongs together. */
  async function justBefore({ ts, user, reply }: Said, { team, channel }: Place): Promise<CaseRecord | null> {
    if (reply) return null;
    const moment = (seconds: number): string => Math.max(0, Number(ts) + seconds).toFixed(6);
    const near = { team, channel, from: moment(-TOGETHER_S), to: moment(TOGETHER_S), by: user };
    const found = await cases.thatRead(near);
    return found?.closedAt === null ? found : null;
  }

  /** No case here yet. In channels we speak only of a failure we know; to whom speaks to us we always answer. */
  async function fresh(said: Said, place: Place, ways: Ways): Promise<void> {
    if (!said.addressed && ways.mode !== "automatic") return;
    const began = Date.now();
    let { given, left } = await readFor(said, ways.language ?? language);
    if (said.mentioned && said.reply && given.verdict.label === "none") {
      const root = await rootOf(said);
      // Slack tells of a mention twice: the second time it must be known.
      if (root) ({ given, left } = { given: { ...root.given, asked: said.ts }, left: root.left });
    }
    const together = await justBefore(said, place);
    if (together && belongsTogether(together, given)) {
      await add(said, { team: place.team, id: together.id }, { given, left });
      const { language: spoken } = together;
      // What only says more of the same failure needs no word.
      if (said.addressed || given.verdict.root) await lead(said, together, slackWordsFor(spoken).together, spoken);
      return;
    }
    const { verdict } = given;
    const speaks = ways.language ?? verdict.language ?? language;
    const diagnosed = { label: verdict.label, status: verdict.status, ms: Date.now() - began };
    if (!said.addressed && !speaksUnasked(verdict)) {
      record({ kind: "stayed-silent", ...diagnosed });
      if (said.reply && isEvidence(given)) early.keep(said);
      await tellLeft(said, left.filter(isLog), speaks);
      if (mayOffer(said, verdict)) await offerLook(said, speaks);
      return;
    }
    const same = await cases.sameFault(place, given);
    if (same) {
      record({ kind: "fault-seen-again", case: same.id, ...diagnosed });
      return sameAgain(said, place, same, speaks);
    }
    await openCase(said, place, { given, left }, ways, began);
  }

  async function openCase(said: Said, place: Place, { given, left }: Read, ways: Ways, began: number): Promise<void> {
    const { verdict } = given;
    const speaks = ways.language ?? verdict.language ?? language;
    const diagnosed = { label: verdict.label, status: verdict.status, ms: Date.now() - began };
    const by: Person = { id: said.user };
    const opened = await cases.open({ place, given, language: speaks, by });
    if (opened.kind === "nothing") {
      record({ kind: "nothing-found", ...diagnosed });
      const words = slackWordsFor(speaks);
      const nothing = isEmpty(given) ? words.empty : (findingsIn(given, speaks) ?? words.nothing);
      // Where nothing could be read at all, why is answer enough.
      const all =
        left.length === 0 ? [nothing] : [sayLeft(left, speaks), ...(isOnlyTalk(given, said) ? [] : [nothing])];
      return reply(said, place, all.join("\n"));
    }
    const { id } = opened.case;
    if (opened.kind === "opened") record({ kind: "case-opened", case: id, ...diagnosed });
    await show({ team: place.team, id });
    await replyLeft(said, place, left, speaks);
    for (const reply of early.take(said)) await addEarly(reply, { team: place.team, id });
  }

  /** What came too early to be evidence of this case. */
  async function addEarly(reply: Early, id: CaseId): Promise<void> {
    const found = await contents.find(reply);
    if (!found) return;
    const said: Said = { ...reply, ...found, addressed: false, mentioned: false, reply: true, edited: false };
    await add(said, id, await contents.read(said, said.ts));
  }

  /** Folds it into the open case, and leads whoever posted it there. */
  async function sameAgain(said: Said, place: Place, same: CaseRecord, speaks: Language): Promise<void> {
    const id = { team: place.team, id: same.id };
    await cases.seenAgain(id, said.ts, { id: said.user });
    await show(id);
    await lead(said, same, slackWordsFor(speaks).sameFault, speaks);
  }

  /** To the case that took a message in; or, by a button, to one of its own. */
  async function lead(said: Said, to: CaseRecord, say: string, speaks: Language): Promise<void> {
    const words = slackWordsFor(speaks);
    const url = await linkTo(to);
    const message = offerMessage(say, {
      link: url === null ? null : { text: words.sameFaultLink, url },
      button: lookButton({ ts: said.ts, thread: said.thread }, words.sameFaultNot),
    });
    const { channel, thread, user } = said;
    if (!said.addressed) return outbox.whisper({ channel, thread: said.reply ? thread : null, user }, message);
    const key = { team: to.place.team, about: `reply:${channel}:${said.reference}`, seq: 0 };
    await outbox.post(key, { channel, thread }, message);
  }

  async function linkTo({ place: { channel, thread } }: CaseRecord): Promise<string | null> {
    try {
      const { permalink } = await client.chat.getPermalink({ channel, message_ts: thread });
      return permalink ?? null;
    } catch (error) {
      if (isUnsure(platformError(error))) throw error;
      return null;
    }
  }

  /** Once for what one person sends in a row. */
  async function offerLook(said: Said, speaks: Language): Promise<void> {
    const { channel, thread, ts, user } = said;
    const last = offered.get(`${channel}/${user}`);
    if (last !== undefined && Number(ts) - Number(last) < TOGETHER_S) return;
    for (const [who, when] of offered) if (Number(ts) - Number(when) >= TOGETHER_S) offered.delete(who);
    offered.set(`${channel}/${user}`, ts);
    const words = slackWordsFor(speaks);
    const message = offerMessage(words.mayLook, { button: lookButton({ ts, thread }, words.mayLookYes) });
    await outbox.whisper({ channel, thread: said.reply ? thread : null, user }, message);
  }

  /** What takes long says so, to whoever will get an answer. */
  async function readFor(said: Said, speaks: Language): Promise<Read> {
    if (!said.addressed) return contents.read(said, said.ts);
    const { channel, thread, user } = said;
    const long = setTimeout(() => {
      void outbox
        .whisper({ channel, thread: said.reply ? thread : null, user }, sayMessage(slackWordsFor(speaks).reading))
        .catch(() => {});
    }, longMs);
    try {
      return await contents.read(said, said.ts);
    } finally {
      clearTimeout(long);
    }
  }

  /** Called under a log that we had not answered: the log is the thread's first message. */
  async function rootOf({ channel, thread }: Said): Promise<Read | null> {
    const root = await contents.find({ channel, thread, ts: thread });
    if (!root) return null;
    const found = await contents.read(root, thread);
    return found.given.verdict.label === "none" && found.left.length === 0 ? null : found;
  }

  async function further(said: Said, id: CaseId): Promise<void> {
    const found = await readFor(said, language);
    // People's talk, however long, is no evidence.
    if (!said.addressed && !said.edited && said.files.length === 0 && isTalk(said.raw) && !isEvidence(found.given))
      return;
    await add(said, id, found);
  }

  async function add(said: Said, id: CaseId, { given, left }: Read): Promise<void> {
    const there = await cases.load(id);
    if (there)
      await replyLeft(
        said,
        there.place,
        left.filter((one) => said.addressed || isLog(one)),
        there.language,
      );
    if (isEmpty(given)) return;
    const changed = await cases.paste(id, given, { id: said.user });
    record({ kind: "case-changed", case: id.id, how: `paste ${changed.kind}`, step: null });
    if (changed.kind === "gone") return;
    if (changed.kind === "ended") {
      const { language: spoken, place } = changed.case;
      return reply(said, place, slackWordsFor(spoken).over);
    }
    await show(id);
  }

  async function reply(said: Said, place: Place, text: string, seq = 0): Promise<void> {
    const key = { team: place.team, about: `reply:${said.channel}:${said.reference}`, seq };
    await outbox.post(key, { channel: said.channel, thread: said.thread }, sayMessage(text));
  }

  /** What was not read of a message that got an answer. */
  async function replyLeft(said: Said, place: Place, left: readonly LeftOut[], speaks: Language): Promise<void> {
    if (left.length > 0) await reply(said, place, sayLeft(left, speaks), 1);
  }

  /** In a channel where we keep quiet, only whoever sent the file hears why it was not read. */
  async function tellLeft({ channel, user }: Said, left: readonly LeftOut[], speaks: Language): Promise<void> {
    if (left.length === 0) return;
    await outbox.whisper({ channel, thread: null, user }, sayMessage(sayLeft(left, speaks)));
  }

  async function show({ team, id }: CaseId): Promise<boolean> {
    let asks: { script: Attached; thread: Thread } | null = null;
    const behind = await outbox.show({ team, about: id }, async () => {
      const record = await cases.load({ team, id });
      const view = record && (await cases.view({ team, id }));
      if (!record || !view) return null;
      const { channel, thread } = record.place;
      const script = view.ended ? null : view.step?.script;
      asks = script ? { script, thread: { channel, thread } } : null;
      return { seq: record.entries.length - 1, thread: { channel, thread }, message: toMessage(view, baseUrl) };
    });
    await giveScript({ team, id }, asks);
    return behind;
  }

  /** The program that the step asks for, as a file of the thread, once. */
  async function giveScript({ team, id }: CaseId, asks: { script: Attached; thread: Thread } | null): Promise<void> {
    if (asks)
      await outbox.attach({ team, about: `script:${id}:${asks.script.name}`, seq: 0 }, asks.thread, asks.script);
  }

  return { message, pointed, look, show };
}

/** What one person sends within so many seconds is one case. */
const TOGETHER_S = 30;

/** Nothing of it could be read. */
function isEmpty({ verdict }: Given): boolean {
  return verdict.input.bytes === 0;
}

/** None of its files could be read, and its text is what people write beside them. */
function isOnlyTalk({ sources }: Given, { raw }: Said): boolean {
  return sources.every(({ name }) => name === PASTE) && !looksPasted(raw);
}

/** It looks like a log, and it cannot be told what it is: whoever sent it may want to know. */
function mayOffer(said: Said, { label, status }: Verdict): boolean {
  return bringsPaste(said) && !said.edited && label !== "none" && (status === "unclear" || status === "unknown");
}

function isKnown(record: CaseRecord, { ts }: Said): boolean {
  return record.entries.some(
    (entry) =>
      (entry.kind === "paste" && (entry.message === ts || entry.asked === ts)) ||
      (entry.kind === "seen" && entry.message === ts),
  );
}

/** What the output readers say of a text that shows no failure: a link that wears out is seen before anything fails. */
function findingsIn({ texts }: Given, speaks: Language): string | null {
  const read = readPasted(texts, []).filter(({ reading: { status } }) => status === "read" || status === "partial");
  return read.length > 0 ? read.map(({ reading }) => reading.finding[speaks]).join("\n") : null;
}
