// A case as it stands -> what to show now. The only place that turns a walk into words.
import type { Quote } from "../diagnose/verdict-type.ts";
import { type FactValue, valuesOf } from "../facts/fact.ts";
import type { Language } from "../facts/language.ts";
import type { Words } from "../locale/en.ts";
import { wordsFor } from "../locale/words.ts";
import { fillCommand, fillForm, fillText } from "../playbook/fill.ts";
import { parseHands } from "../playbook/walk.ts";
import { PASTE, type PasteEntry, type Reading } from "./entry.ts";
import type { EntryLine } from "./evidence.ts";
import { headline, type Told } from "./headline.ts";
import { ADOPT, type Newer } from "./newer.ts";
import { closedBy, lastMove, openingPaste, outcomeOf, tellingPaste } from "./replay.ts";
import { createStepSaying, type StepOf } from "./step-view.ts";
import type { CaseRecord } from "./store.ts";
import { atTheEnd, notKnown, STORY_LINES, standing, story } from "./tell.ts";
import type { SettledLine, StepView, StoryLine, View } from "./view-type.ts";
import { type Playbooks, type Problem, REOPEN, type State, standsAt, type Walk } from "./walk.ts";

export interface ViewOf {
  record: CaseRecord;
  walked: Walk;
  playbooks: Playbooks;
  /** Quotes of each paste, by entry; a purged one is missing. */
  quotes: ReadonlyMap<number, Quote[]>;
  language: Language;
  /** Newer playbooks than those the case runs against, where there are any. */
  newer?: Newer | null;
}

export function toView(given: ViewOf): View {
  const { record, walked, playbooks, quotes, language, newer } = given;
  const words = wordsFor(language);
  const say = createSaying(given, words);
  const first = openingPaste(record);
  const telling = tellingPaste(record);
  const told = toldOf(telling, playbooks, language, words);
  const storyOf = (paste: PasteEntry | undefined): StoryLine[] => {
    const one = toldOf(paste, playbooks, language, words);
    const seq = paste?.seq ?? 0;
    return one ? story(one, quotes.get(seq) ?? [], (at) => say.line({ entry: seq, ...at })) : [];
  };
  const outcome = outcomeOf(record, walked);
  const closed = closedBy(record);
  const head = told ? headline(told) : words.sentence(say.playbookTitle(record.playbooks[0]?.id ?? ""));
  const history = walked.states.filter((state) => state.answer !== undefined).map((state) => say.settled(state));
  const byPhase = (phase: string): SettledLine | undefined => {
    const last = walked.states.findLast(
      (state) => state.answer !== undefined && say.stepOf(state.step)?.phase === phase,
    );
    return last && say.settled(last);
  };
  const stands = closed ? null : say.step(standsAt(walked));
  const step =
    stands && newer
      ? { ...stands, choices: [...stands.choices, { id: ADOPT, label: words.newer.take(newer.to) }] }
      : stands;
  return {
    case: record.id,
    seq: lastMove(record),
    language,
    label: told?.verdict.label ?? null,
    receipt: record.receipt,
    headline: head,
    // What only followed was pasted first, where the cause came later.
    story: (telling === first ? storyOf(first) : [...storyOf(telling), ...storyOf(first)]).slice(0, STORY_LINES),
    notKnown: told ? notKnown(told) : null,
    standing: told ? standing(told) : say.playbookTitle(record.playbooks[0]?.id ?? ""),
    again: againOf(record, words),
    settled: say.justSettled(),
    history,
    problems: [
      ...say.readingProblems(),
      ...walked.problems.map((problem) => say.problem(problem)),
      ...(newer ? [say.newer(newer)] : []),
    ],
    step,
    ended: outcome && {
      outcome,
      title: words.outcome[outcome],
      say: atTheEnd({
        headline: head,
        fix: byPhase("fix"),
        verify: byPhase("verify"),
        own: closed ? "" : (step?.say ?? ""),
        call: closed ? null : (step?.call ?? null),
        words,
      }),
    },
    evidence: record.entries.flatMap((entry) =>
      (quotes.get(entry.seq) ?? []).map((quote) => ({
        at: say.line({ entry: entry.seq, ...quote.at }),
        quote: quote.quote,
      })),
    ),
    owner: ownerOf(record),
  };
}

function toldOf(first: PasteEntry | undefined, playbooks: Playbooks, language: Language, words: Words): Told | null {
  if (!first?.verdict) return null;
  const playbook = playbooks.get(first.verdict.playbook ?? "");
  return {
    verdict: first.verdict,
    facts: first.facts,
    texts: playbook?.texts[language] ?? null,
    status: playbook?.status ?? "stable",
    words,
    language,
  };
}

function againOf({ entries }: CaseRecord, words: Words): string | null {
  const seen = entries.filter((entry) => entry.kind === "seen");
  const last = seen.at(-1)?.at;
  return last === undefined ? null : words.again(seen.length, `${last.slice(0, 10)} ${last.slice(11, 16)} UTC`);
}

function ownerOf(record: CaseRecord): string | null {
  const handed = record.entries.findLast((entry) => entry.kind === "hand-over");
  return handed?.kind === "hand-over" ? (handed.to.name ?? handed.to.id) : null;
}

/** Everything that is said about steps, with the facts known now filled in. */
function createSaying({ record, walked, playbooks, language }: ViewOf, words: Words) {
  const values = inBothUnits(valuesOf(walked.facts));
  const saying = createStepSaying(words, {
    text: (text) => fillText(text, values),
    form: (text) => fillForm(text, values),
    command: (command) => fillCommand(command, values),
  });
  const pastes = record.entries.filter((entry) => entry.kind === "paste");
  const newest = pastes.at(-1);

  function find(at: string): StepOf {
    const { playbook: id, step: name } = parseHands(at);
    const playbook = playbooks.get(id);
    const known = name !== null && playbook !== undefined && Object.hasOwn(playbook.steps, name);
    return {
      step: known ? playbook.steps[name] : undefined,
      texts: (known && playbook.texts[language].steps[name]) || {},
      scripts: playbook?.scripts ?? {},
      name: name ?? at,
    };
  }

  const title = (at: string): string => saying.title(find(at));

  function label(at: string, choice: string): string {
    if (choice.startsWith(REOPEN)) return words.reopen(title(choice.slice(REOPEN.length)));
    return saying.label(find(at), choice);
  }

  /** "line 7", "node3.log:7", "your paste, line 3". */
  function line({ entry, source, line: number }: EntryLine): string {
    return lines([{ entry, source, line: number }]);
  }

  function lines(all: readonly EntryLine[]): string {
    const entries = [...new Set(all.map((one) => one.entry))];
    return entries
      .map((entry) => {
        const some = all.filter((one) => one.entry === entry);
        return inPaste(entry, inEntry(entry, some));
      })
      .join("; ");
  }

  function inEntry(entry: number, all: readonly EntryLine[]): string {
    const sources = pastes.find((paste) => paste.seq === entry)?.sources ?? [];
    if (sources.length < 2) return words.at.lines(all.map((one) => one.line));
    const inSource = (name: string, at: number): string =>
      name === PASTE ? words.at.inMessage(at) : words.at.inFile(name, at);
    return all.map((one) => inSource(sources[one.source]?.name ?? "?", one.line)).join(", ");
  }

  function inPaste(entry: number, said: string): string {
    if (entry === pastes[0]?.seq) return said;
    if (entry === newest?.seq) return words.at.yourPaste(said);
    return words.at.paste(pastes.findIndex((paste) => paste.seq === entry) + 1, said);
  }

  function settled(state: State): SettledLine {
    const said = words.settled(title(state.step), label(state.step, state.answer ?? ""));
    if (state.how === "evidence") return { say: said, at: lines(state.lines) };
    const by = record.entries.find((entry) => entry.seq === state.entry)?.by;
    return { say: said, at: by ? words.at.by(by.name ?? by.id) : "" };
  }

  /** What readers said of a paste that came in just now; the opening one is told by the headline. */
  function newReadings(): Reading[] {
    return newest && newest !== pastes[0] && newest.seq === lastMove(record) ? newest.readings : [];
  }

  /** What the newest paste said, and what evidence settled since a person last acted. */
  function justSettled(): SettledLine[] {
    const now = lastMove(record);
    const read = newReadings().filter(
      ({ reader, status }) => reader !== null && reader !== "diagnose" && status !== "refused",
    );
    return [
      ...read.map(({ finding }) => ({ say: finding[language], at: words.at.thatPaste })),
      ...walked.states
        .filter((state) => state.how === "evidence" && state.answer !== undefined && state.entry === now)
        .map(settled),
    ];
  }

  function readingProblems(): string[] {
    const fresh = newReadings();
    const refused = fresh.filter(({ status }) => status === "refused" || status === "unrecognised");
    const said = refused.map(({ finding }) => words.problem.reading(finding[language]));
    return isOtherOutput(fresh) ? [...said, words.problem.otherOutput] : said;
  }

  /** The output of a tool was read, but not of one that the step asks for, and it answered nothing. */
  function isOtherOutput(fresh: readonly Reading[]): boolean {
    const asked = find(standsAt(walked).step).step?.reads ?? [];
    const read = fresh.filter(({ reader, status }) => reader !== null && status !== "refused");
    const settledNow = walked.states.some((state) => state.how === "evidence" && state.entry === lastMove(record));
    return asked.length > 0 && read.length > 0 && !settledNow && !read.some((one) => asked.includes(one.reader ?? ""));
  }

  function problem(one: Problem): string {
    if (one.kind !== "contradicted") return words.problem[one.kind](one.playbook);
    const { step, answer, instead } = one;
    return words.problem.contradicted(title(step), label(step, answer), label(step, instead), lines(one.lines));
  }

  /** What newer playbooks change from here. */
  function newer({ id, from, to, changed, added, dropped, standsAt: stands, playbooks: all }: Newer): string {
    const titles = (names: string[], of: Playbooks): string[] => {
      const texts = of.get(id)?.texts[language].steps ?? {};
      return names.map((name) => saying.title({ step: undefined, texts: texts[name] ?? {}, name }));
    };
    const later: Playbooks = new Map(all.map((one) => [one.id, one]));
    const moved = stands === standsAt(walked).step ? null : (titles([parseHands(stands).step ?? ""], later)[0] ?? null);
    return words.newer.say(from, to, {
      changed: titles(changed, later),
      added: titles(added, later),
      dropped: titles(dropped, playbooks),
      moved,
    });
  }

  function step(state: State): StepView {
    return {
      id: state.step,
      ...saying.body(find(state.step)),
      choices: state.choices.map((id) => ({ id, label: label(state.step, id) })),
    };
  }

  return {
    line,
    settled,
    justSettled,
    readingProblems,
    problem,
    newer,
    step,
    stepOf: (at: string) => find(at).step,
    playbookTitle: (id: string) => playbooks.get(id)?.texts[language].title ?? id,
  };
}

/** Logs print MiB below one GiB; a text that names the other unit is filled all the same. */
function inBothUnits(values: Record<string, FactValue>): Record<string, FactValue> {
  const all = { ...values };
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== "number") continue;
    const [, base, unit] = /^(.+)_(gib|mib)$/.exec(name) ?? [];
    if (unit === "mib") all[`${base}_gib`] ??= Number((value / 1024).toFixed(2));
    if (unit === "gib") all[`${base}_mib`] ??= value * 1024;
  }
  return all;
}
