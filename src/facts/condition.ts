// Conditions on facts: small data, no expressions. What a `when` in a playbook may say, and whether it holds.
import type { FactValue } from "./fact.ts";

export type Scalar = string | number | boolean;

/** Exactly one of is, in, matches, known, or above and/or below. The zod schema is in playbook/schema.ts. */
export interface Test {
  fact: string;
  is?: Scalar | undefined;
  in?: Scalar[] | undefined;
  matches?: string | undefined;
  above?: number | undefined;
  below?: number | undefined;
  known?: true | undefined;
}

export type Condition = Test | { all: Condition[] } | { any: Condition[] } | { not: Condition };

/** Every fact a condition names, in the order written. */
export function factsOf(condition: Condition): string[] {
  if ("all" in condition) return condition.all.flatMap(factsOf);
  if ("any" in condition) return condition.any.flatMap(factsOf);
  if ("not" in condition) return factsOf(condition.not);
  return [condition.fact];
}

/**
 * True, false, or undefined where a fact it needs is not known. Three values, because `not` over an unknown fact
 * must settle nothing. `is`, `in`, `matches` hold for a list when they hold for any member; `above` and `below` likewise.
 */
export function holds(condition: Condition, facts: Readonly<Record<string, FactValue>>): boolean | undefined {
  if ("all" in condition) {
    const parts = condition.all.map((part) => holds(part, facts));
    return parts.includes(false) ? false : parts.includes(undefined) ? undefined : true;
  }
  if ("any" in condition) {
    const parts = condition.any.map((part) => holds(part, facts));
    return parts.includes(true) ? true : parts.includes(undefined) ? undefined : false;
  }
  if ("not" in condition) {
    const inner = holds(condition.not, facts);
    return inner === undefined ? undefined : !inner;
  }
  const value = facts[condition.fact];
  if (value === undefined) return undefined;
  // A reader that looked and found none gives an empty list: that is no finding.
  if (condition.known) return !(Array.isArray(value) && value.length === 0);
  const members: readonly Scalar[] = Array.isArray(value) ? value : [value as Scalar];
  if (condition.is !== undefined) return members.includes(condition.is);
  if (condition.in) return members.some((member) => condition.in?.includes(member));
  if (condition.matches !== undefined) {
    const pattern = new RegExp(condition.matches);
    return members.some((member) => pattern.test(String(member)));
  }
  return members.some(
    (member) =>
      typeof member === "number" &&
      (condition.above === undefined || member > condition.above) &&
      (condition.below === undefined || member < condition.below),
  );
}
