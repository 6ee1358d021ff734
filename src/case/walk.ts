// Where a walk stands: a fold over its entries against the playbooks. Nothing is stored for a step that facts settle, so the
// same entries always give the same walk. Never touches a clock, a database or a person.
import type { AnyStateMachine } from "xstate";
import type { Facts } from "../facts/fact.ts";
import type { Outcome, Playbook } from "../playbook/schema.ts";
import { compile, follow, openingStep, parseHands, settledBy } from "../playbook/walk.ts";
import { type EntryLine, type KnownFact, type KnownFacts, linesOf, support, valuesSince } from "./evidence.ts";

/** The playbooks a walk may run through, by id; a running case hands in those it opened with. */
export type Playbooks = ReadonlyMap<string, Playbook>;

/** `entry` rises from one entry to the next; facts are older or newer by it. */
export type WalkEntry =
  | { kind: "paste"; entry: number; facts: Facts }
  | { kind: "answer"; entry: number; choice: string; step?: string }
  | { kind: "back"; entry: number };

export type How = "evidence" | "answer" | "start" | "open" | "end";

export interface State {
  /** "oom#where" */
  step: string;
  how: How;
  /** Set once the step is settled, but for a handoff, which asks nothing. */
  answer?: string;
  /** The facts that settled it; empty for a person's answer. */
  facts: string[];
  lines: EntryLine[];
  choices: string[];
  /** The entry that settled it. */
  entry: number;
}

/** Something a person should know: a step that newer facts answer differently, a handoff that cannot go on. */
export type Problem =
  | { kind: "contradicted"; step: string; answer: string; instead: string; facts: string[]; lines: EntryLine[] }
  | { kind: "no-playbook"; step: string; playbook: string }
  | { kind: "handoff-loop"; step: string; playbook: string };

export interface Walk {
  /** In order; the last one is where the walk stands. */
  states: readonly State[];
  facts: KnownFacts;
  problems: readonly Problem[];
  outcome: Outcome | null;
  /** Entries whose answers no longer fitted where the walk stood, and were passed over. */
  passedOver: readonly number[];
}

export const REOPEN = "reopen:";

export interface Opening {
  playbooks: Playbooks;
  playbook: string;
  subcause: string | null;
  /** What the subcause was read from. */
  lines?: readonly EntryLine[];
}

interface Standing {
  /** Settled states, the current step not among them. */
  settled: State[];
  at: string;
}

interface Fold {
  opening: Opening;
  standing: Standing;
  facts: Record<string, KnownFact>;
  /** Facts up to this entry no longer settle the step: a `back` or a reopening was there. */
  barred: Map<string, number>;
  /** What stood before each paste or answer that still stands. */
  undo: Standing[];
  passedOver: number[];
}

export function walk(opening: Opening, entries: readonly WalkEntry[]): Walk {
  const playbook = opening.playbooks.get(opening.playbook);
  if (!playbook) throw new Error(`there is no playbook "${opening.playbook}" to walk`);
  const fold: Fold = {
    opening,
    standing: { settled: [], at: `${playbook.id}#${openingStep(playbook, opening.subcause)}` },
    facts: {},
    barred: new Map(),
    undo: [],
    passedOver: [],
  };
  settle(fold, -1);
  for (const entry of entries) apply(fold, entry);
  return show(fold);
}

/** The step where a walk stands, which is always there. */
export function standsAt(walked: Walk): State {
  const last = walked.states.at(-1);
  if (!last) throw new Error("a walk without a state");
  return last;
}

function apply(fold: Fold, entry: WalkEntry): void {
  if (entry.kind === "back") {
    goBack(fold, entry.entry);
    return;
  }
  const before = fold.standing;
  if (entry.kind === "paste") {
    for (const [name, fact] of Object.entries(entry.facts)) {
      fold.facts[name] = { value: fact.value, lines: fact.lines, entry: entry.entry };
    }
  } else if (!answer(fold, entry)) {
    fold.passedOver.push(entry.entry);
    return;
  }
  fold.undo.push(before);
  settle(fold, entry.entry);
}

function answer(fold: Fold, { entry, step, choice }: { entry: number; step?: string; choice: string }): boolean {
  const { settled, at } = fold.standing;
  if (step !== undefined && step !== at) return false;
  if (choice.startsWith(REOPEN)) return reopen(fold, choice.slice(REOPEN.length));
  const next = nextStep(fold, at, choice);
  if (next === undefined) return false;
  const state = {
    step: at,
    how: "answer" as const,
    answer: choice,
    facts: [],
    lines: [],
    choices: choicesOf(fold, at),
    entry,
  };
  fold.standing = { settled: [...settled, state], at: next };
  return true;
}

/** Back to a step that newer facts answer differently; what came after it no longer counts. */
function reopen(fold: Fold, step: string): boolean {
  const found = contradictions(fold).find((problem) => problem.step === step);
  if (!found) return false;
  const { settled } = fold.standing;
  const index = settled.findLastIndex((state) => state.step === step);
  const settledAt = settled[index]?.entry ?? -Infinity;
  fold.barred.set(step, Math.max(barredUntil(fold, step), settledAt));
  fold.standing = { settled: settled.slice(0, index), at: step };
  return true;
}

/** Undoes the newest paste or answer that still stands; what it settled waits for newer facts or an answer. */
function goBack(fold: Fold, entry: number): void {
  const before = fold.undo.pop();
  if (!before) return;
  const kept = new Set(before.settled);
  for (const state of fold.standing.settled) if (!kept.has(state)) fold.barred.set(state.step, entry);
  fold.standing = before;
}

/** Passes every step that the facts answer. A step once settled needs facts newer than that, so this ends. */
function settle(fold: Fold, entry: number): void {
  const handed = new Set<string>();
  for (;;) {
    const { settled, at } = fold.standing;
    const { playbook, step } = stepAt(fold, at);
    if (step?.hands !== undefined) {
      const next = handoff(fold, step.hands);
      if (next === undefined || handed.has(at)) return;
      handed.add(at);
      // A handoff asks nothing: it was settled by whatever led to it.
      const led = settled.at(-1);
      const { how, facts, lines } = led ?? {
        how: "evidence" as const,
        facts: [],
        lines: [...(fold.opening.lines ?? [])],
      };
      const state = { step: at, how, facts, lines, choices: [], entry };
      fold.standing = { settled: [...settled, state], at: next };
      continue;
    }
    const since = newerThan(fold, at);
    const values = valuesSince(fold.facts, since);
    const choice = step && settledBy(step, values);
    const next = choice === undefined ? undefined : nextStep(fold, at, choice);
    const when = choice === undefined ? undefined : step?.choices?.[choice]?.when;
    if (!playbook || choice === undefined || next === undefined || !when) return;
    handed.clear();
    const facts = support(when, values);
    const state = {
      step: at,
      how: "evidence" as const,
      answer: choice,
      facts,
      lines: linesOf(fold.facts, facts),
      choices: choicesOf(fold, at),
      entry,
    };
    fold.standing = { settled: [...settled, state], at: next };
  }
}

/** Where a handoff leads; undefined where that playbook or step is missing. */
function handoff(fold: Fold, hands: string): string | undefined {
  const target = parseHands(hands);
  const playbook = fold.opening.playbooks.get(target.playbook);
  const step = target.step ?? playbook?.start;
  if (!playbook || step === undefined || !Object.hasOwn(playbook.steps, step)) return undefined;
  return `${playbook.id}#${step}`;
}

/** Why a walk stands at a handoff instead of going on. */
function stuck(fold: Fold, at: string, hands: string): Problem {
  const kind = handoff(fold, hands) === undefined ? "no-playbook" : "handoff-loop";
  return { kind, step: at, playbook: parseHands(hands).playbook };
}

/**
 * Facts up to this entry do not settle the step: it was settled then, or undone then. A verify step asks whether a fix
 * holds, so only what was pasted after the walk came to it answers; the losses that showed the fault would say "no".
 */
function newerThan(fold: Fold, at: string): number {
  const { settled } = fold.standing;
  const last = settled.findLast((state) => state.step === at);
  const arrived = stepAt(fold, at).step?.phase === "verify" ? settled.at(-1)?.entry : undefined;
  return Math.max(last?.entry ?? -Infinity, arrived ?? -Infinity, barredUntil(fold, at));
}

function barredUntil(fold: Fold, step: string): number {
  return fold.barred.get(step) ?? -Infinity;
}

/** Steps whose newest standing answer is not the one that newer facts give. */
function contradictions(fold: Fold): Extract<Problem, { kind: "contradicted" }>[] {
  const { settled, at } = fold.standing;
  const newest = new Map(settled.map((state) => [state.step, state]));
  newest.delete(at);
  const earlier = beforeProof(fold);
  return [...newest.values()].flatMap((state) => {
    const { step } = stepAt(fold, state.step);
    if (!step || state.answer === undefined) return [];
    const values = valuesSince(earlier, state.entry);
    const instead = settledBy(step, values);
    const when = instead === undefined ? undefined : step.choices?.[instead]?.when;
    if (instead === undefined || !when || instead === state.answer) return [];
    const facts = support(when, values);
    const lines = linesOf(fold.facts, facts);
    return [{ kind: "contradicted" as const, step: state.step, answer: state.answer, instead, facts, lines }];
  });
}

/**
 * The facts without those that answered a verify step: they tell how things are after the fix, and that they differ from
 * what was found before it is what the fix was for.
 */
function beforeProof(fold: Fold): Record<string, KnownFact> {
  const proofs = new Set(
    fold.standing.settled
      .filter(({ how, step }) => how === "evidence" && stepAt(fold, step).step?.phase === "verify")
      .map(({ entry }) => entry),
  );
  return Object.fromEntries(Object.entries(fold.facts).filter(([, { entry }]) => !proofs.has(entry)));
}

function show(fold: Fold): Walk {
  const { settled, at } = fold.standing;
  const { step } = stepAt(fold, at);
  const contradicted = contradictions(fold);
  const how: How = step?.ends ? "end" : settled.length === 0 ? "start" : "open";
  const choices = [...choicesOf(fold, at), ...contradicted.map((problem) => REOPEN + problem.step)];
  return {
    states: [...settled, { step: at, how, facts: [], lines: [], choices, entry: -1 }],
    facts: fold.facts,
    problems: step?.hands === undefined ? contradicted : [...contradicted, stuck(fold, at, step.hands)],
    outcome: step?.ends ?? null,
    passedOver: fold.passedOver,
  };
}

function stepAt(fold: Fold, at: string) {
  const { playbook: id, step: name } = parseHands(at);
  const playbook = fold.opening.playbooks.get(id);
  const step = playbook && name !== null && Object.hasOwn(playbook.steps, name) ? playbook.steps[name] : undefined;
  return { playbook, name: name ?? "", step };
}

function choicesOf(fold: Fold, at: string): string[] {
  return Object.keys(stepAt(fold, at).step?.choices ?? {});
}

const machines = new WeakMap<Playbook, AnyStateMachine>();

/** A machine is compiled once for each playbook held in memory. */
export function machineOf(playbook: Playbook): AnyStateMachine {
  const known = machines.get(playbook);
  if (known) return known;
  const machine = compile(playbook);
  machines.set(playbook, machine);
  return machine;
}

function nextStep(fold: Fold, at: string, choice: string): string | undefined {
  const { playbook, name } = stepAt(fold, at);
  if (!playbook) return undefined;
  const next = follow(machineOf(playbook), name, choice);
  return next === undefined ? undefined : `${playbook.id}#${next}`;
}
