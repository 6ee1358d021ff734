// What to show now, said without Slack, HTML or terminals. One view, several renderers. Every text here is plain text:
// parts of it come from logs, which strangers write, so a renderer escapes all of it.

import type { Language } from "../facts/language.ts";
import type { Label } from "../facts/signature.ts";
import type { Outcome, Phase, Risk } from "../playbook/schema.ts";

export interface View {
  case: string;
  /** The newest entry that moved the case; a button to go back carries it. */
  seq: number;
  language: Language;
  /** null where a person walks a playbook without a log. */
  label: Label | null;
  receipt: string;
  /** The answer in one line, in words anyone on call understands. */
  headline: string;
  /** At most four lines: time, who, what, with where it stands ("line 214", "node3.log:7"). */
  story: StoryLine[];
  /** What is not known, or which log would tell; null where nothing is open. */
  notKnown: string | null;
  /** "confirmed · oom · activation peak" */
  standing: string;
  /** How often the same fault was posted again in the channel, and when last; null where it was not. */
  again: string | null;
  /** What the newest paste said and what the evidence settled since a person last acted: the way back stands beside it. */
  settled: SettledLine[];
  /** Every step passed so far, in order. */
  history: SettledLine[];
  /** Newer facts that contradict a settled step, and other things a person should know. */
  problems: string[];
  /** null once someone closed the case by hand. */
  step: StepView | null;
  /** Set once the case has ended. */
  ended: { outcome: Outcome; title: string; say: string } | null;
  /** The lines behind the claims, for "Show lines". */
  evidence: { at: string; quote: string }[];
  /** Whoever has the case, where it was handed over. */
  owner: string | null;
}

export interface StoryLine {
  /** As printed. */
  time: string | null;
  say: string;
  at: string;
}

export interface SettledLine {
  say: string;
  /** Lines, or who answered. */
  at: string;
}

export interface StepView {
  /** "oom#where" */
  id: string;
  phase: Phase | null;
  /** "Locate", in the view's language. */
  phaseName: string | null;
  /** The question in bold. */
  title: string;
  say: string;
  command: string | null;
  /** The program that the step asks for. */
  script: { name: string; text: string } | null;
  expect: string | null;
  /** What a risky step changes, shown before it: "changes the cluster"; null where nothing is at risk. */
  risk: Risk;
  riskName: string | null;
  undo: string | null;
  stop: string | null;
  call: string | null;
  commonly: string | null;
  sources: string[];
  choices: { id: string; label: string }[];
}
