// A playbook as it is read without a case: every step with its words, every move of its compiled machine. Said without
// HTML; the texts are plain text.
import { toDirectedGraph } from "xstate/graph";
import type { Language } from "../facts/language.ts";
import type { Signature } from "../facts/signature.ts";
import { wordsFor } from "../locale/words.ts";
import { fillCommand, placesOf } from "../playbook/fill.ts";
import type { Outcome, Playbook } from "../playbook/schema.ts";
import { compile, parseHands } from "../playbook/walk.ts";
import { createStepSaying } from "./step-view.ts";
import type { StepView } from "./view-type.ts";

export interface PlaybookView {
  id: string;
  version: number;
  draft: boolean;
  language: Language;
  title: string;
  /** One line for the list. */
  symptom: string;
  misses: string;
  start: string;
  /** In the author's order. */
  steps: ReadStep[];
  ends: EndStep[];
  /** Where a walk opens for each kind of the fault. */
  opens: { kind: string; step: string }[];
  /** Lines of logs it knows, by kind; those of no kind come last under null. */
  knows: { kind: string | null; lines: KnownLine[] }[];
}

export interface ReadStep extends Omit<StepView, "id" | "choices"> {
  id: string;
  /** Counted from 1 in the author's order, without the ends. */
  number: number;
  /** Facts that stand in the command as `<fact>`, for a person to fill in. */
  places: string[];
  script: { name: string; text: string } | null;
  choices: ReadChoice[];
  /** Numbers of the steps that lead here. */
  from: number[];
}

export interface ReadChoice {
  id: string;
  label: string;
  to: string;
}

/** A step that asks nothing more. */
export interface EndStep {
  id: string;
  /** null where the outcome, or the playbook that goes on, says it all. */
  title: string | null;
  say: string;
  /** Whom to call, with what text. */
  call: string | null;
  /** How the case ended; null where another playbook goes on. */
  outcome: Outcome | null;
  outcomeName: string | null;
  hands: { playbook: string; step: string | null } | null;
  from: number[];
}

export interface KnownLine {
  id: string;
  /** A line of a log that it matches. */
  seen: string;
  role: Signature["role"];
  /** It speaks against this fault. */
  against: boolean;
  source: string;
}

export function playbookView(playbook: Playbook, language: Language): PlaybookView {
  const words = wordsFor(language);
  const texts = playbook.texts[language];
  const say = createStepSaying(words, { text: withNames, form: withNames, command: withNames });
  const moves = movesOf(playbook);
  const ids = Object.keys(playbook.steps);
  const asked = ids.filter((id) => moves.some(({ from }) => from === id));
  const numberOf = new Map(asked.map((id, at) => [id, at + 1]));
  const from = (id: string): number[] => [
    ...new Set(moves.filter(({ to }) => to === id).map((move) => numberOf.get(move.from) ?? 0)),
  ];
  const find = (name: string) => ({
    name,
    step: playbook.steps[name],
    texts: texts.steps[name] ?? {},
    scripts: playbook.scripts,
  });
  const kindName = (kind: string): string => words.capital(texts.subcauses?.[kind] ?? kind);

  function readStep(id: string): ReadStep {
    const of = find(id);
    return {
      id,
      ...say.body(of),
      number: numberOf.get(id) ?? 0,
      places: placesOf(of.step?.command ?? ""),
      choices: moves
        .filter((move) => move.from === id)
        .map(({ choice, to }) => ({ id: choice, label: say.label(of, choice), to })),
      from: from(id),
    };
  }

  function endStep(id: string): EndStep {
    const of = find(id);
    const { ends, hands } = of.step ?? {};
    const { title, say: said, call } = say.body(of);
    return {
      id,
      title: of.texts.title === undefined ? null : title,
      say: said,
      call,
      outcome: ends ?? null,
      outcomeName: ends ? words.outcome[ends] : null,
      hands: hands === undefined ? null : parseHands(hands),
      from: from(id),
    };
  }

  return {
    id: playbook.id,
    version: playbook.version,
    draft: playbook.status === "draft",
    language,
    title: texts.title,
    symptom: words.tidy(texts.symptom.trim()),
    misses: words.tidy(texts.misses.trim()),
    start: playbook.start,
    steps: asked.map(readStep),
    ends: ids.filter((id) => !numberOf.has(id)).map(endStep),
    opens: onePerName(Object.entries(playbook.opens ?? {}).map(([kind, step]) => ({ kind: kindName(kind), step }))),
    knows: byKind(playbook.signatures).map(({ kind, lines }) => ({
      kind: kind === null ? null : kindName(kind),
      lines,
    })),
  };
}

/** No log is at hand: every sentence stays, and each fact stands as `<fact>`. */
function withNames(text: string): string {
  return fillCommand(text, {});
}

interface Move {
  from: string;
  choice: string;
  to: string;
}

/** What the compiled machine can do, asked of the machine itself. */
function movesOf(playbook: Playbook): Move[] {
  return toDirectedGraph(compile(playbook)).children.flatMap(({ edges }) =>
    edges.map(({ source, target, label }) => ({ from: source.key, choice: label.text, to: target.key })),
  );
}

/** Kinds that a person would call the same, told apart for the program only. */
function onePerName(opens: PlaybookView["opens"]): PlaybookView["opens"] {
  return opens.filter(({ kind, step }, at) => at === opens.findIndex((one) => one.kind === kind && one.step === step));
}

function byKind(signatures: readonly Signature[]): { kind: string | null; lines: KnownLine[] }[] {
  const kinds = new Map<string | null, KnownLine[]>();
  for (const { id, seen, role, weight, source, subcause = null } of signatures) {
    const line = { id, seen, role, against: weight === "against", source };
    kinds.set(subcause, [...(kinds.get(subcause) ?? []), line]);
  }
  const named = [...kinds].filter(([kind]) => kind !== null);
  return [...named, ...[...kinds].filter(([kind]) => kind === null)].map(([kind, lines]) => ({ kind, lines }));
}
