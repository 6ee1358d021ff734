// One function for each thing a person can do with a case; every outcome is a value. The clock, ids and hashes are handed in.

import { redact } from "../diagnose/redact.ts";
import type { Quote } from "../diagnose/verdict-type.ts";
import type { Language } from "../facts/language.ts";
import { wordsFor } from "../locale/words.ts";
import type { Outcome, Playbook } from "../playbook/schema.ts";
import type { Entry, Person } from "./entry.ts";
import { faultKey } from "./fault-key.ts";
import { type FreshDeps, freshCase, type Given, type Opening, pasteOf } from "./fresh.ts";
import { ADOPT, newerPlaybooks } from "./newer.ts";
import { readPasted } from "./pasted-output.ts";
import { closedBy, lastMove, outcomeOf, playbooksNow, readsAt, replay } from "./replay.ts";
import type { CaseRecord, CaseStore, Messages, Place } from "./store.ts";
import { handOffText } from "./tell.ts";
import { toView } from "./view.ts";
import type { View } from "./view-type.ts";
import { type Playbooks, standsAt, type Walk } from "./walk.ts";

/** New cases open with the playbooks given here; running ones go on with those they opened with, until somebody takes newer ones. */
export interface CaseDeps extends FreshDeps {
  store: CaseStore;
}

export type Opened =
  | { kind: "opened"; case: CaseRecord }
  /** This place has a case already; it is untouched. */
  | { kind: "already"; case: CaseRecord }
  /** Nothing to walk: no sign of a failure, or the playbook is not there. */
  | { kind: "nothing" };

export type Changed =
  | { kind: "moved"; case: CaseRecord; step: string; outcome: Outcome | null }
  /** That step is over: an old button, a double click, a message read before. */
  | { kind: "stale"; case: CaseRecord }
  /** That step is over, and someone else was faster. */
  | { kind: "taken"; case: CaseRecord; by: Person; choice: string }
  /** Someone closed the case. */
  | { kind: "ended"; case: CaseRecord; outcome: Outcome }
  | { kind: "gone" };

export interface CaseId {
  team: string;
  id: string;
}

/** What a button carries: the step it was shown at, and the choice. */
export interface Click {
  step: string;
  choice: string;
}

export interface Cases {
  open(opening: Opening): Promise<Opened>;
  paste(id: CaseId, given: Given, by: Person): Promise<Changed>;
  answer(id: CaseId, click: Click, by: Person): Promise<Changed>;
  /** `seen` is the `seq` of the view the person looked at, so that a double click goes back once. */
  back(id: CaseId, seen: number | null, by: Person): Promise<Changed>;
  handOver(id: CaseId, to: Person, by: Person): Promise<Changed>;
  note(id: CaseId, text: string, by: Person): Promise<Changed>;
  close(id: CaseId, outcome: Outcome, by: Person): Promise<Changed>;
  /** Ends the case as handed over; `text` is what to send to the other team. */
  escalate(id: CaseId, by: Person): Promise<Changed & { text?: string }>;
  load(id: CaseId): Promise<CaseRecord | undefined>;
  at(place: Place): Promise<CaseRecord | undefined>;
  /** The open case in this channel that has the same fault. */
  sameFault(place: Place, given: Given): Promise<CaseRecord | undefined>;
  /** Its fault was posted again, in this message. */
  seenAgain(id: CaseId, message: string, by: Person): Promise<Changed>;
  /** The newest case that has read one of these messages. */
  thatRead(messages: Messages): Promise<CaseRecord | undefined>;
  /** As it stands, or as it stood after entry `asOf`. */
  view(id: CaseId, language?: Language, asOf?: number): Promise<View | undefined>;
}

type Body<Kind = Entry> = Kind extends Entry ? Omit<Kind, "seq" | "by" | "at"> : never;

/** What an act makes of a case as it stands: an entry to append, or why there is none. */
type Act = (record: CaseRecord, walked: Walk) => Promise<Body | Changed> | Body | Changed;

/** Clicks that race for the same entry number; each loser looks again at how the case stands then. */
const TRIES = 20;

export function createCases(deps: CaseDeps): Cases {
  const { store } = deps;
  const bodies = new Map<string, Playbook>();

  async function open(opening: Opening): Promise<Opened> {
    const there = await store.at(opening.place);
    if (there) return { kind: "already", case: there };
    const fresh = freshCase(opening, deps);
    if (!fresh) return { kind: "nothing" };
    const { record, reach } = fresh;
    for (const body of reach) await keep(body);
    if (replay(record, mapOf(reach)).outcome) record.closedAt = record.openedAt;
    await keepQuotes({ team: record.place.team, id: record.id }, record.entries[0], opening.given);
    const { opened, found } = await store.open(record);
    return { kind: opened ? "opened" : "already", case: found };
  }

  /** Loads, asks `act` what to append, and appends it; where someone else came first, all over again. */
  async function change({ team, id }: CaseId, by: Person, act: Act): Promise<Changed> {
    for (let tries = 0; tries < TRIES; tries++) {
      const record = await store.load(team, id);
      if (!record) return { kind: "gone" };
      const closed = closedBy(record);
      if (closed) return { kind: "ended", case: record, outcome: closed.outcome };
      const playbooks = await playbooksOf(record);
      const body = await act(record, replay(record, playbooks));
      if (!isEntry(body)) return body;
      const at = deps.now().toISOString();
      const entry = { ...body, seq: record.entries.length, by, at } as Entry;
      const after = { ...record, entries: [...record.entries, entry] };
      const walked = replay(after, entry.kind === "adopt" ? await playbooksOf(after) : playbooks);
      const outcome = outcomeOf(after, walked);
      after.closedAt = outcome ? (record.closedAt ?? at) : null;
      if (await store.append(team, id, entry, after.closedAt))
        return { kind: "moved", case: after, step: standsAt(walked).step, outcome };
    }
    throw new Error(`case ${id} changed ${TRIES} times while one entry was being added`);
  }

  async function paste(id: CaseId, given: Given, by: Person): Promise<Changed> {
    return change(id, by, async (record, walked) => {
      if (readBefore(record, given)) return { kind: "stale", case: record };
      const { step } = standsAt(walked);
      const entry = pasteOf(given, readPasted(given.texts, readsAt(step, await playbooksOf(record))), deps);
      await keepQuotes(id, entry, given);
      return entry;
    });
  }

  function answer(id: CaseId, { step, choice }: Click, by: Person): Promise<Changed> {
    return change(id, by, async (record, walked) => {
      const now = standsAt(walked);
      if (choice === ADOPT) return adopt(record, walked);
      if (now.step === step && now.choices.includes(choice)) return { kind: "answer", step, choice };
      const faster = record.entries.findLast((entry) => entry.kind === "answer" && entry.step === step);
      if (faster?.kind === "answer" && faster.by.id !== by.id)
        return { kind: "taken", case: record, by: faster.by, choice: faster.choice };
      return { kind: "stale", case: record };
    });
  }

  /** Takes the newer playbooks, where there still are any. */
  async function adopt(record: CaseRecord, walked: Walk): Promise<Body | Changed> {
    const running = await playbooksOf(record);
    const newer = newerPlaybooks(record, walked, { running, loaded: deps.playbooks, language: record.language });
    if (!newer) return { kind: "stale", case: record };
    for (const body of newer.playbooks) await keep(body);
    return { kind: "adopt", playbooks: newer.playbooks.map(({ id, hash }) => ({ id, hash })) };
  }

  function back(id: CaseId, seen: number | null, by: Person): Promise<Changed> {
    return change(id, by, (record) =>
      seen !== null && lastMove(record) > seen ? { kind: "stale", case: record } : { kind: "back" },
    );
  }

  async function sameFault({ team, channel }: Place, { verdict }: Given): Promise<CaseRecord | undefined> {
    const fault = faultKey(verdict, deps.hash);
    const since = new Date(deps.now().getTime() - SAME_FAULT_MS).toISOString();
    return fault === null ? undefined : store.openWith({ team, channel, fault, since });
  }

  function seenAgain(id: CaseId, message: string, by: Person): Promise<Changed> {
    return change(id, by, (record) => {
      const told = record.entries.some((entry) => entry.kind === "seen" && entry.message === message);
      return told ? { kind: "stale", case: record } : { kind: "seen", message };
    });
  }

  async function escalate(id: CaseId, by: Person): Promise<Changed & { text?: string }> {
    const changed = await change(id, by, () => ({ kind: "close", outcome: "handed-over", escalated: true }));
    // Asked again by the same person, as after a crash: the text is theirs still.
    const closed = changed.kind === "ended" ? closedBy(changed.case) : undefined;
    if (changed.kind !== "moved" && changed.kind !== "ended") return changed;
    if (changed.kind === "ended" && !(closed?.escalated && closed.by.id === by.id)) return changed;
    return { ...changed, text: handOffText(await viewOf(changed.case), wordsFor(changed.case.language)) };
  }

  async function view(
    { team, id }: CaseId,
    language?: Language,
    asOf = Number.POSITIVE_INFINITY,
  ): Promise<View | undefined> {
    const record = await store.load(team, id);
    return record && viewOf({ ...record, entries: record.entries.filter(({ seq }) => seq <= asOf) }, language);
  }

  async function viewOf(record: CaseRecord, language: Language = record.language): Promise<View> {
    const playbooks = await playbooksOf(record);
    const quotes = new Map<number, Quote[]>();
    for (const entry of record.entries)
      if (entry.kind === "paste" && entry.quotes !== null)
        quotes.set(entry.seq, await store.quotes(record.place.team, record.id, entry.quotes));
    const walked = replay(record, playbooks);
    const newer = closedBy(record)
      ? null
      : newerPlaybooks(record, walked, { running: playbooks, loaded: deps.playbooks, language });
    return toView({ record, walked, playbooks, quotes, language, newer });
  }

  async function keepQuotes({ team, id }: CaseId, entry: Body | undefined, given: Given | null): Promise<void> {
    if (entry?.kind === "paste" && entry.quotes !== null && given)
      await store.keepQuotes(team, id, entry.quotes, given.verdict.quotes);
  }

  async function keep(playbook: Playbook): Promise<void> {
    if (bodies.has(playbook.hash)) return;
    await store.keepPlaybook(playbook);
    bodies.set(playbook.hash, playbook);
  }

  async function playbooksOf(record: CaseRecord): Promise<Playbooks> {
    const all: Playbook[] = [];
    for (const { id, hash } of playbooksNow(record)) {
      const body = bodies.get(hash) ?? (await store.playbook(hash));
      if (!body) throw new Error(`the store lost the body of playbook ${id} that case ${record.id} runs against`);
      bodies.set(hash, body);
      all.push(body);
    }
    return mapOf(all);
  }

  return {
    open,
    paste,
    answer,
    back,
    escalate,
    handOver: (id, to, by) =>
      change(id, by, (record) => {
        const last = record.entries.findLast((entry) => entry.kind === "hand-over");
        return last?.to.id === to.id ? { kind: "stale", case: record } : { kind: "hand-over", to };
      }),
    note: (id, text, by) => change(id, by, () => ({ kind: "note", text: redact(text).text })),
    close: (id, outcome, by) => change(id, by, () => ({ kind: "close", outcome, escalated: false })),
    load: ({ team, id }) => store.load(team, id),
    at: (place) => store.at(place),
    sameFault,
    seenAgain,
    thatRead: (messages) => store.thatRead(messages),
    view,
  };
}

const ENTRY_KINDS = ["paste", "answer", "back", "adopt", "hand-over", "seen", "note", "close"];
/** A case that nobody touched for so long is another time's. */
const SAME_FAULT_MS = 7 * 24 * 60 * 60 * 1000;

function isEntry(body: Body | Changed): body is Body {
  return ENTRY_KINDS.includes(body.kind);
}

/** The same message with the same text; an edited message is a new paste. */
function readBefore(record: CaseRecord, given: Given): boolean {
  if (given.message === null) return false;
  const hashes = given.sources.map(({ hash }) => hash).join();
  return record.entries.some(
    (entry) =>
      entry.kind === "paste" &&
      entry.message === given.message &&
      entry.sources.map(({ hash }) => hash).join() === hashes,
  );
}

function mapOf(playbooks: readonly Playbook[]): Playbooks {
  return new Map(playbooks.map((playbook) => [playbook.id, playbook]));
}
