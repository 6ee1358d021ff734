import type { FactType } from "../../../src/facts/catalogue.ts";
import type { FactValue } from "../../../src/facts/fact.ts";

/** Is this value of the type that the catalogue promises? */
export function isA(type: FactType | undefined, value: FactValue): boolean {
  if (type === "number") return typeof value === "number";
  if (type === "flag") return typeof value === "boolean";
  if (type === "text") return typeof value === "string";
  const member = type === "numbers" ? "number" : "string";
  return type !== undefined && Array.isArray(value) && value.every((one) => typeof one === member);
}
