// A receipt: whoever has the same redacted input, rules and entries gets the same one, so a diagnosis can be checked.
import type { Entry } from "./entry.ts";

export interface ReceiptOf {
  /** Hash of each redacted source, in the order given. */
  inputs: readonly string[];
  /** Version of the rules: signatures and steps without texts. */
  rules: string;
  /** What moved the walk; who and when do not count. */
  entries: readonly Pick<Entry, "kind">[];
}

export function receiptOf({ inputs, rules, entries }: ReceiptOf, hash: (text: string) => string): string {
  return `sha256:${hash(JSON.stringify(["firstfault/receipt/v1", inputs, rules, entries.flatMap(moved)]))}`;
}

function moved(entry: Pick<Entry, "kind">): unknown[] {
  const one = entry as Entry;
  if (one.kind === "paste") return [["paste", one.sources.map((source) => source.hash)]];
  if (one.kind === "answer") return [["answer", one.step, one.choice]];
  if (one.kind === "back") return [["back"]];
  if (one.kind === "close") return [["close", one.outcome]];
  return [];
}
