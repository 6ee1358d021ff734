// Every playbook folder, found by itself: adding a folder adds tests.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkSync } from "recheck";
import { describe, expect, it } from "vitest";
import { catalogOf, checkFolders, PLAYBOOKS } from "../src/catalog.ts";
import { diagnose } from "../src/diagnose/diagnose.ts";
import { exponentialShape, repeatsGroup } from "../src/playbook/exponential.ts";
import { toLine } from "../src/playbook/problem.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures");

const folders = await checkFolders(PLAYBOOKS, exponential);
const { rules, broken } = catalogOf(folders);

/** The shape first; recheck, which takes its time, only where a shape could hide something. */
function exponential(pattern: string): string | undefined {
  const shape = exponentialShape(pattern);
  if (shape || !repeatsGroup(pattern)) return shape;
  const found = checkSync(pattern, "", { timeout: 100 });
  return found.status === "vulnerable" && found.complexity.type === "exponential" ? "recheck says so" : undefined;
}

function verdictOf(name: string, text: string) {
  const { label, playbook, root } = diagnose([{ name, text }], rules);
  return { label, playbook, root: root?.quote };
}

it("finds the playbooks, none of them broken", () => {
  expect(folders.map(({ folder }) => folder.id)).toEqual(
    expect.arrayContaining(["checkpoint-mismatch", "expert-imbalance", "loss-spike", "nccl-timeout", "oom", "other"]),
  );
  expect(broken).toEqual([]);
});

describe.each(folders.map((one) => [one.folder.id, one] as const))(
  "playbook %s",
  (id, { folder, problems, playbook }) => {
    const logs = (kind: string) => Object.entries(folder.files).filter(([name]) => name.startsWith(`logs/${kind}-`));

    it("has no authoring mistakes", () => {
      expect(problems.map(toLine)).toEqual([]);
    });

    it.each(logs("hit"))("wins %s against every other playbook", (name, text) => {
      expect(verdictOf(name, text)).toMatchObject({ playbook: id, label: playbook?.label });
    });

    it.each(logs("miss"))("does not win %s", (name, text) => {
      expect(verdictOf(name, text)).not.toMatchObject({ playbook: id });
    });
  },
);

describe("text without a fault", () => {
  const quiet = join(FIXTURES, "quiet");
  it.each(readdirSync(quiet))("stays without a label: %s", (name) => {
    const text = readFileSync(join(quiet, name), "utf8");
    // A list of chat messages is one message a line; a log is one text.
    const texts = name.endsWith(".txt") ? text.split("\n").filter((line) => line && !line.startsWith("#")) : [text];
    const loud = texts.filter((one) => verdictOf(name, one).label !== "none");
    expect(loud).toEqual([]);
  });
});
