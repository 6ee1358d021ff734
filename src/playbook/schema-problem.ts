// What the schema found, in words an author can act on.
import type * as z from "zod";
import type { Path } from "./source.ts";

type Issue = z.core.$ZodIssue;

const CONDITION =
  "a condition is { fact: NAME, is|in|matches|known|above|below: ... }, or { all|any: [..] }, or { not: .. }";

export function explain(issue: Issue): { path: Path; say: string }[] {
  const name = issue.path.length > 0 ? `"${String(issue.path.at(-1))}"` : "the file";
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        path: [...issue.path, key],
        say: `there is no key "${key}" here; delete it or mend its name`,
      }));
    case "invalid_union":
      return [{ path: issue.path, say: explainUnion(issue, name) }];
    case "invalid_value":
      return [{ path: issue.path, say: `${name} must be ${issue.values.map((value) => String(value)).join(", ")}` }];
    case "invalid_key":
      return [{ path: issue.path, say: `${name} is no good name: use lower-case-with-dashes` }];
    case "invalid_type":
      return [
        { path: issue.path, say: missingParent(issue) ? `${name} is missing` : `${name} must be a ${issue.expected}` },
      ];
    default:
      return [{ path: issue.path, say: `${name}: ${issue.message}` }];
  }
}

/** A key that is not there has no place of its own: its parent's key stands for it. */
export function missingParent(issue: Issue): boolean {
  return issue.code === "invalid_type" && issue.message.endsWith("received undefined");
}

function explainUnion(issue: Extract<Issue, { code: "invalid_union" }>, name: string): string {
  const isCondition =
    issue.errors.length > 3 ||
    issue.path.some((key) => key === "when" || key === "all" || key === "any" || key === "not");
  if (!isCondition)
    return `${name}: ${issue.errors
      .map((errors) => errors[0]?.message ?? "")
      .filter(Boolean)
      .join("; or ")}`;
  const own = issue.errors[0]?.find((error) => error.code === "custom");
  return own ? `in a condition, ${own.message}` : CONDITION;
}
