// What the bot does with a click. A late, double or simultaneous one is an ordinary thing, and is answered kindly.
import type { CaseId, Cases, Changed } from "../case/case.ts";
import type { Person } from "../case/entry.ts";
import type { CaseRecord } from "../case/store.ts";
import { slackWordsFor } from "../locale/slack-words.ts";
import type { Outcome } from "../playbook/schema.ts";
import type { Answering } from "./answering.ts";
import { linesMessage, type Message, sayMessage, textMessage } from "./blocks.ts";
import { askEscalate, askHandOver, askOutcome, type Click, type More } from "./buttons.ts";
import type { RecordSlack } from "./happened.ts";
import type { Outbox, Thread } from "./outbox.ts";
import { isUserId } from "./text.ts";
import type { Wrong } from "./wrong.ts";

export interface ClickingDeps {
  cases: Cases;
  outbox: Outbox;
  answering: Answering;
  wrong: Pick<Wrong, "ask">;
  record: RecordSlack;
  language: "en" | "zh";
}

/** Who clicked, and where. */
export interface Clicker extends Thread {
  person: Person;
  /** Opens a form, for three seconds; null where the click is older. */
  trigger: string | null;
  /** Worked on before, and stopped or failed somewhere: what it moved then may look as if somebody else had. */
  again?: boolean;
}

export interface Clicking {
  answer(id: CaseId, click: Click, by: Clicker): Promise<void>;
  more(id: CaseId, verb: More, seen: number | null, by: Clicker): Promise<void>;
  handOver(id: CaseId, to: Person, by: Clicker): Promise<void>;
  escalate(id: CaseId, by: Clicker): Promise<void>;
  close(id: CaseId, outcome: Outcome, by: Clicker): Promise<void>;
  showLines(id: CaseId, by: Clicker): Promise<void>;
}

export function createClicking({ cases, outbox, answering, wrong, record, language }: ClickingDeps): Clicking {
  async function answer(id: CaseId, { step, choice }: Click, by: Clicker): Promise<void> {
    await tell(id, await cases.answer(id, { step, choice }, by.person), "answer", by);
  }

  async function more(id: CaseId, verb: More, seen: number | null, by: Clicker): Promise<void> {
    if (verb === "back") return tell(id, await cases.back(id, seen, by.person), "back", by);
    if (verb === "wrong") return wrong.ask(id, by);
    const found = await cases.load(id);
    const words = slackWordsFor(found?.language ?? language);
    if (!found) return whisper(by, sayMessage(words.gone));
    const ask = { "hand-over": askHandOver, escalate: askEscalate, close: askOutcome }[verb];
    const said = { "hand-over": words.asks.handOver, escalate: words.asks.escalate, close: words.asks.close }[verb];
    await whisper(by, { text: said, blocks: ask(id.id, words) });
  }

  async function handOver(id: CaseId, to: Person, by: Clicker): Promise<void> {
    const changed = await cases.handOver(id, to, by.person);
    const found = "case" in changed ? changed.case : null;
    const handed = found?.entries.findLast((entry) => entry.kind === "hand-over");
    // Also where it was handed over before and we were stopped: the notice is posted once, whatever happens in between.
    if (found && handed?.to.id === to.id && handed.by.id === by.person.id) {
      const text = slackWordsFor(found.language).handedTo(by.person.name ?? by.person.id);
      await notice(id, found, handed.seq, sayMessage(text, to.id));
    }
    await tell(id, changed, "hand-over", by);
  }

  async function escalate(id: CaseId, by: Clicker): Promise<void> {
    const changed = await cases.escalate(id, by.person);
    const closed = "case" in changed ? changed.case.entries.findLast((entry) => entry.kind === "close") : undefined;
    if ("case" in changed && closed && changed.text)
      await notice(id, changed.case, closed.seq, textMessage(changed.text));
    await tell(id, changed, "escalate", by);
  }

  async function close(id: CaseId, outcome: Outcome, by: Clicker): Promise<void> {
    await tell(id, await cases.close(id, outcome, by.person), "close", by);
  }

  async function showLines(id: CaseId, by: Clicker): Promise<void> {
    const view = await cases.view(id);
    await whisper(by, view ? linesMessage(view) : sayMessage(slackWordsFor(language).gone));
  }

  /** Shows how the case stands, and says to the one who clicked why nothing moved. */
  async function tell(id: CaseId, changed: Changed, how: string, by: Clicker): Promise<void> {
    record({
      kind: "case-changed",
      case: id.id,
      how: `${how} ${changed.kind}`,
      step: changed.kind === "moved" ? changed.step : null,
    });
    if (changed.kind === "gone") return whisper(by, sayMessage(slackWordsFor(language).gone));
    const words = slackWordsFor(changed.case.language);
    const news = await answering.show(id);
    if (by.again && changed.case.entries.at(-1)?.by.id === by.person.id) return;
    if (changed.kind === "taken") {
      const { id: user, name } = changed.by;
      return whisper(
        by,
        isUserId(user) ? sayMessage(words.taken, user) : sayMessage((name ?? words.nobodyFaster) + words.taken),
      );
    }
    if (changed.kind === "ended") return whisper(by, sayMessage(words.over));
    // Where the message had fallen behind, that it moved is answer enough.
    if (changed.kind === "stale" && !news) await whisper(by, sayMessage(words.stale));
  }

  async function notice(id: CaseId, found: CaseRecord, seq: number, message: Message): Promise<void> {
    const { channel, thread } = found.place;
    await outbox.post({ team: id.team, about: `notice:${id.id}`, seq }, { channel, thread }, message);
  }

  function whisper({ channel, thread, person }: Clicker, message: Message): Promise<void> {
    return outbox.whisper({ channel, thread, user: person.id }, message);
  }

  return { answer, more, handOver, escalate, close, showLines };
}
