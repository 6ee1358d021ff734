// What a verdict alone opens: the step where a walk stands after it, and its receipt.
import type { Verdict } from "../diagnose/verdict-type.ts";
import type { Language } from "../facts/language.ts";
import { type FreshDeps, freshCase, type Given } from "./fresh.ts";
import { receiptOf } from "./receipt.ts";
import { replay } from "./replay.ts";
import { type Playbooks, standsAt } from "./walk.ts";

export interface OpeningOf {
  verdict: Verdict;
  /** Hash of each redacted source. */
  inputs: readonly string[];
  rules: string;
  playbooks: Playbooks;
  hash(text: string): string;
}

export interface Opened {
  /** null where there is nothing to walk: no sign of a failure, or its playbook is not loaded. */
  start: string | null;
  receipt: string;
}

export function opening(of: OpeningOf): Opened {
  const fresh = recordOf(of, "en");
  return {
    start: fresh && standsAt(replay(fresh.record, of.playbooks)).step,
    receipt: receiptOf({ inputs: of.inputs, rules: of.rules, entries: [] }, of.hash),
  };
}

/** Nobody did it and nothing is kept: a case of its own for one look. */
export function recordOf({ verdict, inputs, rules, playbooks, hash }: OpeningOf, language: Language) {
  const deps: FreshDeps = {
    playbooks,
    rules,
    hash,
    now: () => new Date(0),
    newId: () => "",
  };
  const place = { enterprise: "", team: "", channel: "", thread: "" };
  return freshCase({ place, given: givenOf(verdict, inputs), language, by: { id: "" } }, deps);
}

/** A verdict over several sources tells lines and bytes of all together; the hash stands for each. */
export function givenOf(verdict: Verdict, inputs: readonly string[]): Given {
  const { sources, lines, bytes } = verdict.input;
  const one = sources.length === 1;
  return {
    sources: sources.map((name, at) => ({
      name,
      lines: one ? lines : 0,
      bytes: one ? bytes : 0,
      hash: inputs[at] ?? "",
    })),
    verdict,
    texts: [],
    message: null,
  };
}
