// The single cheapest observation that tells two faults apart: one search through the logs, for a line that only one prints.
import type { Label } from "../facts/signature.ts";
import type { Rules } from "./rules.ts";

/** Long enough to be rare in a log, short enough to be typed. */
const SHORTEST = 10;
const LONGEST = 48;

/** Computed from the signatures; undefined where one of the two faults has no line of its own. */
export function searchFor(one: Label, other: Label, { signatures }: Rules): { en: string; zh: string } | undefined {
  const [first, second] = [one, other].map((label) => typicalOf(label, signatures));
  if (!first || !second || one === other) return undefined;
  const command = `grep -rnF -m1 -e '${first}' -e '${second}' LOGS`;
  return {
    en: `${command}: the first says ${one}, the second ${other}.`,
    zh: `${command}：先者说明是 ${one}，后者说明是 ${other}。`,
  };
}

/** The literal of the label's first strong signature, a cause where it has one: playbooks list what is common first. */
function typicalOf(label: Label, signatures: Rules["signatures"]): string | undefined {
  const strong = signatures.filter(
    (rule) => rule.label === label && rule.weight === "strong" && rule.role !== "context",
  );
  const causes = strong.filter((rule) => rule.role === "cause");
  const ordered = label === "nccl-timeout" ? strong : [...causes, ...strong];
  return ordered.flatMap((rule) => [rule.literal ?? []].flat()).find(isTypable);
}

function isTypable(literal: string): boolean {
  return (
    literal.length >= SHORTEST && literal.length <= LONGEST && /^[\x20-\x7e]+$/.test(literal) && !literal.includes("'")
  );
}
