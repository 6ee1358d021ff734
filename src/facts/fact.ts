// What a fact is: a named value read from lines, with the lines it was read from.

export type FactValue = number | string | boolean | readonly (number | string)[];

/** One line of what was given: `line` is 1-based in its source as given; `source` is an index into the paste's sources. */
export interface LineRef {
  source: number;
  line: number;
}

export interface Fact {
  value: FactValue;
  lines: LineRef[];
}

export type Facts = Record<string, Fact>;

/** The values alone, as conditions and `{{fact}}` places read them. */
export function valuesOf(facts: Facts): Record<string, FactValue> {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, fact.value]));
}
