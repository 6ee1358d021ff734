// What to show now, said without Slack, HTML or terminals. One view, several renderers.
import type { Phase, Risk } from "../playbook/schema.ts";

export interface View {
  case: string;
  language: "en" | "zh";
  /** The answer in one line, in words anyone on call understands. */
  headline: string;
  /** At most four lines: time, who, what, with where it stands ("line 214", "node3.log:7"). Quotes are plain text, never markup. */
  story: { time: string | null; say: string; at: string }[];
  /** What is not known, or which log would tell; null where nothing is open. */
  notKnown: string | null;
  /** "confirmed · oom · seen before: never". */
  standing: string;
  /** What the evidence settled since the last answer, each with its lines and the way back. */
  settled: { say: string; at: string }[];
  /** Newer facts that contradict a settled step, and other things a person should know. */
  problems: string[];
  step: StepView | null;
  /** Set once the case has ended. */
  ended: { outcome: string; say: string } | null;
  /** The lines behind the claims, for "Show lines". */
  evidence: { at: string; quote: string }[];
}

export interface StepView {
  /** "oom#where" */
  id: string;
  phase: Phase | null;
  /** The question in bold. */
  title: string;
  say: string;
  command: string | null;
  expect: string | null;
  /** Shown before anything that changes a run or a cluster or loses work. */
  risk: Risk;
  undo: string | null;
  stop: string | null;
  call: string | null;
  commonly: string | null;
  sources: string[];
  choices: { id: string; label: string }[];
}
