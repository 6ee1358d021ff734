// What a playbook file may say. The rules between fields are in check.ts.
import * as z from "zod";
import { Condition } from "../facts/condition.ts";
import { LABELS, Signature } from "../facts/signature.ts";

export const Phase = z.enum(["symptom", "locate", "fix", "verify"]);
export type Phase = z.infer<typeof Phase>;

export const Outcome = z.enum(["fixed", "mitigated", "handed-over", "not-a-fault", "unknown"]);
export type Outcome = z.infer<typeof Outcome>;

export const Risk = z.enum(["none", "changes-run", "changes-cluster", "loses-work"]);
export type Risk = z.infer<typeof Risk>;

const Id = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "use lower-case-with-dashes");

export const Choice = z.strictObject({ to: Id, when: Condition.optional() });
export type Choice = z.infer<typeof Choice>;

export const Step = z.strictObject({
  phase: Phase.optional(),
  choices: z.record(Id, Choice).optional(),
  command: z.string().optional(),
  script: z.string().optional(),
  reads: z.array(Id).optional(),
  hands: z.string().optional(),
  ends: Outcome.optional(),
  risk: Risk.optional(),
  chains: z.array(z.string()).optional(),
  corrections: z.array(z.union([z.string(), z.number()])).optional(),
  sources: z.array(z.string()).optional(),
});
export type Step = z.infer<typeof Step>;

export const PlaybookFile = z.strictObject({
  version: z.number().int().positive(),
  status: z.enum(["draft", "stable"]),
  label: z.enum(LABELS),
  start: Id,
  opens: z.record(Id, Id).optional(),
  signatures: z.array(Signature),
  /** Sentences people write about this fault, one a line. */
  words: z.string().optional(),
  /** Sentences on the same subject that report no fault (questions, chatter), one a line. */
  chatter: z.string().optional(),
  steps: z.record(Id, Step),
});
export type PlaybookFile = z.infer<typeof PlaybookFile>;

export const StepTexts = z.strictObject({
  /** The question or act, a few words; the bold line. Falls back to the first sentence of `say`. */
  title: z.string().optional(),
  say: z.string().optional(),
  expect: z.string().optional(),
  undo: z.string().optional(),
  stop: z.string().optional(),
  call: z.string().optional(),
  commonly: z.string().optional(),
  choices: z.record(Id, z.string()).optional(),
});
export type StepTexts = z.infer<typeof StepTexts>;

export const Texts = z.strictObject({
  title: z.string(),
  symptom: z.string(),
  misses: z.string(),
  steps: z.record(Id, StepTexts),
  subcauses: z.record(Id, z.string()).optional(),
});
export type Texts = z.infer<typeof Texts>;

export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A playbook as the program holds it. `hash` covers everything; `version` is raised by people. */
export interface Playbook extends PlaybookFile {
  id: string;
  hash: string;
  texts: Record<Language, Texts>;
  /** The lines of the words and chatter files. */
  sentences: string[];
  chatterSentences: string[];
  /** Contents of `scripts/`, by file name. */
  scripts: Record<string, string>;
}
