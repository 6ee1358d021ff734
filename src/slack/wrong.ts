// "The diagnosis is wrong": asks what it was, and keeps that with the lines in question for an owner to look at.
import type { Candidate, CandidateStore } from "../case/candidates.ts";
import { excerpt } from "../case/candidates.ts";
import type { CaseId, Cases } from "../case/case.ts";
import type { PasteEntry } from "../case/entry.ts";
import type { CaseRecord } from "../case/store.ts";
import { LABELS, type Label } from "../facts/signature.ts";
import { slackWordsFor } from "../locale/slack-words.ts";
import { wordsFor } from "../locale/words.ts";
import { sayMessage } from "./blocks.ts";
import type { Clicker } from "./clicking.ts";
import type { Contents } from "./contents.ts";
import type { OpenForm, WrongAbout } from "./forms.ts";
import { wrongModal } from "./modals.ts";
import type { Outbox } from "./outbox.ts";

export interface WrongDeps {
  cases: Cases;
  candidates: CandidateStore;
  outbox: Outbox;
  openForm: OpenForm;
  contents: Contents;
  redact(text: string): { text: string };
  language: "en" | "zh";
  now(): Date;
}

export interface Filled {
  label: string;
  words: string;
}

export interface Wrong {
  ask(id: CaseId, by: Clicker): Promise<void>;
  mark(id: CaseId, filled: Filled, by: Clicker): Promise<void>;
}

export function createWrong(deps: WrongDeps): Wrong {
  const { cases, candidates, outbox, openForm, contents, redact, language, now } = deps;

  async function ask(id: CaseId, by: Clicker): Promise<void> {
    const found = await cases.load(id);
    const words = slackWordsFor(found?.language ?? language);
    if (!found) return whisper(by, words.gone);
    const about: WrongAbout = { case: id.id, channel: by.channel, thread: by.thread };
    const opened = await openForm(by.trigger, wrongModal(about, words, wordsFor(found.language)));
    if (!opened) await whisper(by, words.formLate);
  }

  async function mark(id: CaseId, filled: Filled, by: Clicker): Promise<void> {
    const found = await cases.load(id);
    const words = slackWordsFor(found?.language ?? language);
    const label = LABELS.find((one) => one === filled.label);
    if (!found || !label) return whisper(by, words.gone);
    const told = redact(filled.words.trim()).text;
    await candidates.keep(await candidateOf(found, { label, words: told }, by));
    const name = wordsFor(found.language).label[label];
    await cases.note(id, told ? `${words.wrongNote(name)} ${told}` : words.wrongNote(name), by.person);
    await whisper(by, words.wrongThanks);
  }

  async function candidateOf(
    found: CaseRecord,
    { label, words }: { label: Label; words: string },
    by: Clicker,
  ): Promise<Candidate> {
    const paste = found.entries.find((entry): entry is PasteEntry => entry.kind === "paste");
    const verdict = paste?.verdict ?? null;
    return {
      team: found.place.team,
      case: found.id,
      by: by.person,
      at: now().toISOString(),
      channel: found.place.channel,
      message: paste?.message ?? null,
      ...(await textOf(found, paste)),
      was: verdict && { label: verdict.label, status: verdict.status, confidence: verdict.confidence },
      label,
      words,
    };
  }

  /** From the message itself where it still stands there unchanged, else from the quotes that the case keeps. */
  async function textOf(
    found: CaseRecord,
    paste: PasteEntry | undefined,
  ): Promise<Pick<Candidate, "text" | "rootLine">> {
    const { channel, thread } = found.place;
    const root = paste?.verdict?.root?.at ?? null;
    const stands = paste?.message ? await contents.find({ channel, thread, ts: paste.message }) : null;
    const again = stands && (await contents.read(stands, paste?.message ?? ""));
    const same = again?.given.sources.map(({ hash }) => hash).join() === paste?.sources.map(({ hash }) => hash).join();
    if (paste && again && same && again.given.texts.some((text) => text !== null))
      return excerpt(again.given.texts, { lines: paste.lines, root });
    const view = await cases.view({ team: found.place.team, id: found.id });
    const quotes = (view?.evidence ?? []).map(({ quote }) => quote);
    return { text: quotes.join("\n"), rootLine: root && quotes.length > 0 ? 1 : null };
  }

  function whisper({ channel, thread, person }: Clicker, text: string): Promise<void> {
    return outbox.whisper({ channel, thread, user: person.id }, sayMessage(text));
  }

  return { ask, mark };
}
