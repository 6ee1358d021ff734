// What the schema found, in words an author can act on.
import type * as z from "zod";
import type { Path } from "./source.ts";

type Issue = z.core.$ZodIssue;

const CONDITION =
  "a condition is { fact: NAME, is|in|matches|known|above|below: ... }, or { all|any: [..] }, or { not: .. }";

export interface Explained {
  path: Path;
  say: string;
  part: "key" | "value";
}

export function explain(issue: Issue): Explained[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      say: `there is no key "${key}" here; delete it or mend its name`,
      part: "key",
    }));
  }
  return [{ path: issue.path, say: explainOne(issue), part: issue.code === "invalid_key" ? "key" : "value" }];
}

function explainOne(issue: Exclude<Issue, { code: "unrecognized_keys" }>): string {
  const name = nameOf(issue.path);
  switch (issue.code) {
    case "invalid_union":
      return explainUnion(issue, name);
    case "invalid_value":
      return `${name} must be ${issue.values.map((value) => String(value)).join(", ")}`;
    case "invalid_key":
      return `${name} is no good name: use lower-case-with-dashes`;
    case "invalid_type":
      return isMissing(issue) ? `${name} is missing` : `${name} must be a ${issue.expected}`;
    case "too_small":
      if (issue.origin === "string") return `${name} is too short; it has at least ${issue.minimum} characters`;
      break;
    default:
  }
  return `${name}: ${issue.message}`;
}

/** A member of a list has no name of its own. */
function nameOf(path: readonly PropertyKey[]): string {
  const last = path.at(-1);
  if (last === undefined) return "the file";
  return typeof last === "number" ? `member ${last + 1} of "${String(path.at(-2))}"` : `"${String(last)}"`;
}

function isMissing(issue: Issue): boolean {
  return issue.code === "invalid_type" && issue.message.endsWith("received undefined");
}

function explainUnion(issue: Extract<Issue, { code: "invalid_union" }>, name: string): string {
  if (!issue.path.some((key) => ["when", "all", "any", "not"].includes(String(key)))) {
    const ways = issue.errors.flatMap(([first]) => (first ? [first.message] : []));
    return `${name}: ${ways.join("; or ")}`;
  }
  const own = issue.errors[0]?.find((error) => error.code === "custom");
  return own ? `in a condition, ${own.message}` : CONDITION;
}
