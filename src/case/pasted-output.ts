// What the output readers make of a pasted text. Apart from what is done with it, since the readers take their time to load
// and a diagnosis needs none of them.
import { readOutputs } from "../diagnose/outputs/read-output.ts";
import type { FactValue } from "../facts/fact.ts";
import type { Given } from "./fresh.ts";
import type { Output } from "./reading.ts";

/**
 * What every reader that knows a text makes of it, those that the current step names first. `texts` are redacted, one for
 * each source of the paste; null where a source is too long for a tool's output.
 */
export function readPasted(texts: readonly (string | null)[], first: readonly string[]): Output[] {
  return texts.flatMap((text, source) => (text === null ? [] : readSource(text, source, first)));
}

/** A machine wrote something in it that says something of the case; somebody's words alone do not. */
export function isEvidence({ verdict, texts }: Pick<Given, "verdict" | "texts">): boolean {
  return verdict.root !== null || Object.keys(verdict.facts).length > 0 || readPasted(texts, []).length > 0;
}

function readSource(text: string, source: number, first: readonly string[]): Output[] {
  return readOutputs(text, first).map(({ reader, status, finding, facts }) => ({
    reading: { reader, status, finding },
    facts: Object.fromEntries(
      Object.entries(facts)
        .filter(isOfItsKind)
        .map(([name, { value, lines }]) => [name, { value, lines: lines.map((line) => ({ source, line })) }]),
    ),
  }));
}

/** "ranks" lists culprits; a reader that counts ranks under that name must not be taken for it. */
function isOfItsKind([name, { value }]: [string, { value: FactValue }]): boolean {
  return name !== "ranks" || Array.isArray(value);
}
