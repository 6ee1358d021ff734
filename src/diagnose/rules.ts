// What the reader needs to know: the signatures of all playbooks, their words, and the version of it all.
import type { Label, Rule } from "../facts/signature.ts";

export interface Rules {
  signatures: readonly Rule[];
  /** Training sentences for a person's own words, by label; "none" holds chatter and questions. */
  words: readonly { label: Label; text: string }[];
  /** Hash of signatures and steps without texts. */
  version: string;
}
