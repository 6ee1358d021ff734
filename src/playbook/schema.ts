// What a playbook file may say. The rules between fields are in check.ts.
import * as z from "zod";
import type { Condition as ConditionType } from "../facts/condition.ts";
import type { Language } from "../facts/language.ts";
import { LABELS, type Signature as SignatureType } from "../facts/signature.ts";

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

const TestOfFact = z
  .strictObject({
    fact: z.string(),
    is: Scalar.optional(),
    in: z.array(Scalar).min(1).optional(),
    matches: z.string().optional(),
    above: z.number().optional(),
    below: z.number().optional(),
    known: z.literal(true).optional(),
  })
  .refine(
    (test) => {
      const kinds = ["is", "in", "matches", "known"].filter(
        (key) => test[key as keyof typeof test] !== undefined,
      ).length;
      const range = test.above !== undefined || test.below !== undefined;
      return kinds + (range ? 1 : 0) === 1;
    },
    { message: "say exactly one of is, in, matches, known, or above and/or below" },
  );

export const Condition: z.ZodType<ConditionType> = z.lazy(() =>
  z.union([
    TestOfFact,
    z.strictObject({ all: z.array(Condition).min(1) }),
    z.strictObject({ any: z.array(Condition).min(1) }),
    z.strictObject({ not: Condition }),
  ]),
);

export const Signature: z.ZodType<SignatureType> = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "use lower-case-with-dashes"),
  pattern: z.string().min(4),
  literal: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  weight: z.enum(["strong", "supporting", "against"]),
  role: z.enum(["cause", "consequence", "context"]),
  subcause: z.string().optional(),
  implies: z.record(z.string(), Scalar).optional(),
  seen: z.string(),
  source: z.string(),
});

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

export type { Language };

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
