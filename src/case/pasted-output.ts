// What the output readers make of a pasted text. Apart from what is done with it, since the readers take their time to load
// and a diagnosis needs none of them.
import { readOutputs } from "../diagnose/outputs/read-output.ts";
import type { FactValue } from "../facts/fact.ts";
import type { Output } from "./reading.ts";

/**
 * What every reader that knows the text makes of it, those that the current step names first. `text` is redacted; null for
 * folders of logs, which no output reader reads.
 */
export function readPasted(text: string | null, first: readonly string[]): Output[] {
  if (text === null) return [];
  return readOutputs(text, first).map(({ reader, status, finding, facts }) => ({
    reading: { reader, status, finding },
    facts: Object.fromEntries(
      Object.entries(facts)
        .filter(isOfItsKind)
        .map(([name, { value, lines }]) => [name, { value, lines: lines.map((line) => ({ source: 0, line })) }]),
    ),
  }));
}

/** "ranks" lists culprits; a reader that counts ranks under that name must not be taken for it. */
function isOfItsKind([name, { value }]: [string, { value: FactValue }]): boolean {
  return name !== "ranks" || Array.isArray(value);
}
