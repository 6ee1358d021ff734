// Conditions on facts: small data, no expressions. What a `when` in a playbook may say, and whether it holds.
import * as z from "zod";
import type { FactValue } from "./fact.ts";

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

const Test = z
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
      const kinds = ["is", "in", "matches", "known"].filter((key) => test[key as keyof typeof test] !== undefined).length;
      const range = test.above !== undefined || test.below !== undefined;
      return kinds + (range ? 1 : 0) === 1;
    },
    { message: "say exactly one of is, in, matches, known, or above and/or below" },
  );

export type Condition =
  | z.infer<typeof Test>
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

export const Condition: z.ZodType<Condition> = z.lazy(() =>
  z.union([
    Test,
    z.strictObject({ all: z.array(Condition).min(1) }),
    z.strictObject({ any: z.array(Condition).min(1) }),
    z.strictObject({ not: Condition }),
  ]),
);

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
  if (condition.known) return true;
  const members: readonly (string | number | boolean)[] = Array.isArray(value) ? value : [value as string | number | boolean];
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
