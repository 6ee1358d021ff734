// No pattern of the source can take exponential time on what a person pastes: one such pattern held a whole run up for ever.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkSync } from "recheck";
import { parseAst } from "vite";
import { expect, it } from "vitest";
import { diagnose } from "../src/diagnose/diagnose.ts";
import { exponentialShape, repeatsGroup } from "../src/playbook/exponential.ts";
import { rules } from "./diagnose/rules.ts";

const SOURCE = join(import.meta.dirname, "..", "src");
const FILES = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".d.ts"),
);

/** Every pattern that stands in the text of the file, and, within a template, every part that is written as one. */
function patternsOf(file: string): { pattern: string; flags: string }[] {
  const found: { pattern: string; flags: string }[] = [];
  JSON.stringify(parseAst(readFileSync(join(SOURCE, file), "utf8"), { lang: "ts" }), (_, node) => {
    if (node?.type === "Literal" && node.regex) found.push(node.regex);
    return typeof node === "bigint" || node instanceof RegExp ? undefined : node;
  });
  return found;
}

/** The patterns that are put together when a file is loaded. */
async function builtPatterns(): Promise<{ pattern: string; flags: string }[]> {
  const built: { pattern: string; flags: string }[] = [];
  const Own = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Own, {
    construct(target, [pattern, flags]) {
      const made = new target(pattern, flags);
      built.push({ pattern: made.source, flags: made.flags });
      return made;
    },
  });
  try {
    for (const file of FILES.filter((name) => name.startsWith("diagnose/")))
      await import(/* @vite-ignore */ `${SOURCE}/${file}?patterns`);
  } finally {
    globalThis.RegExp = Own;
  }
  return built;
}

function exponential({ pattern, flags }: { pattern: string; flags: string }): string | undefined {
  const shape = exponentialShape(pattern);
  if (shape || !repeatsGroup(pattern)) return shape;
  const judged = checkSync(pattern, flags, { timeout: 300 });
  return judged.status === "vulnerable" && judged.complexity.type === "exponential" ? "recheck says so" : undefined;
}

it("holds no pattern that can take exponential time", () => {
  const all = FILES.flatMap((file) => patternsOf(file).map((one) => ({ file, ...one })));
  expect(all.length).toBeGreaterThan(1_000);
  expect(all.filter(exponential).map(({ file, pattern }) => `${file}: ${pattern}`)).toEqual([]);
});

it("puts no such pattern together either", async () => {
  const built = await builtPatterns();
  expect(built.length).toBeGreaterThan(40);
  expect(built.filter(exponential).map(({ pattern }) => pattern)).toEqual([]);
});

it("reads a torn list of token counts, which no bracket closes in time", () => {
  const row = "  408,   317,   203,   367,   359,   387,   309,   215,   412,   314,     3,   325,";
  const text = ["tokens_per_expert: tensor([ 344,  217,", row, row, row, "step 5200, moe layer 11", row, "  1, 2], x"];
  expect(diagnose(text.join("\n"), rules).label).toBe("none");
});
