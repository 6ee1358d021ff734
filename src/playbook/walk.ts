// A playbook as an XState machine: states and events only. A machine without context is wholly told by the name of its
// state, so where a walk stands is a step's id, and every move is a pure question to the machine.
import { type AnyStateMachine, createMachine, transition } from "xstate";
import { holds } from "../facts/condition.ts";
import type { FactValue } from "../facts/fact.ts";
import type { Playbook, Step } from "./schema.ts";

type Steps = Pick<Playbook, "id" | "start" | "steps">;

/** One state per step, one event per choice. Ends and handoffs are final: what comes after a handoff is another machine. */
export function compile(playbook: Steps): AnyStateMachine {
  const states = Object.fromEntries(Object.entries(playbook.steps).map(([id, step]) => [id, toState(step)]));
  return createMachine({ id: playbook.id, initial: playbook.start, states });
}

function toState(step: Step) {
  if (!step.choices) return { type: "final" as const };
  return { on: Object.fromEntries(Object.entries(step.choices).map(([choice, { to }]) => [choice, to])) };
}

/** The step a choice leads to; undefined where the machine knows no such step or the step no such choice. */
export function follow(machine: AnyStateMachine, step: string, choice: string): string | undefined {
  if (!Object.hasOwn(machine.states, step)) return undefined;
  const at = machine.resolveState({ value: step, context: {} });
  // xstate ignores an unknown event silently, so ask first.
  if (!at.can({ type: choice })) return undefined;
  const [next] = transition(machine, at, { type: choice });
  return String(next.value);
}

/** Where a walk opens: the step that `opens` names for the subcause, else the first. */
export function openingStep(playbook: Pick<Playbook, "start" | "opens">, subcause: string | null): string {
  if (subcause === null || !playbook.opens || !Object.hasOwn(playbook.opens, subcause)) return playbook.start;
  return playbook.opens[subcause] ?? playbook.start;
}

/** The first choice whose condition the facts meet; undefined where only a person can answer. */
export function settledBy(step: Step, facts: Readonly<Record<string, FactValue>>): string | undefined {
  for (const [choice, { when }] of Object.entries(step.choices ?? {})) {
    if (when && holds(when, facts) === true) return choice;
  }
  return undefined;
}

/** "oom#host-or-gpu" in parts; a bare playbook has no step. */
export function parseHands(hands: string): { playbook: string; step: string | null } {
  const at = hands.indexOf("#");
  return at < 0 ? { playbook: hands, step: null } : { playbook: hands.slice(0, at), step: hands.slice(at + 1) };
}
