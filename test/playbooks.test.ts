// Every playbook folder, found by itself: adding a folder adds tests.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkSync } from "recheck";
import { describe, expect, it } from "vitest";
import { checkLogs } from "../src/case/check-logs.ts";
import { catalogOf, checkFolders, PLAYBOOKS } from "../src/catalog.ts";
import { diagnose } from "../src/diagnose/diagnose.ts";
import type { Verdict } from "../src/diagnose/verdict-type.ts";
import { exponentialShape, repeatsGroup } from "../src/playbook/exponential.ts";
import { placesOf } from "../src/playbook/fill.ts";
import { toLine } from "../src/playbook/problem.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures");

const folders = await checkFolders(PLAYBOOKS, exponential);
const { playbooks, rules, broken } = catalogOf(folders);

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
    expect.arrayContaining([
      "checkpoint-mismatch",
      "cuda-error",
      "expert-imbalance",
      "gpu-fault",
      "launch",
      "loss-spike",
      "nccl-timeout",
      "oom",
      "other",
      "slow-run",
      "storage",
    ]),
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

    it("has literals that find its own lines", () => {
      const lost = playbook?.signatures.filter(
        ({ literal, seen }) => ![literal ?? []].flat().some((one) => seen.includes(one)),
      );
      expect(lost?.map((signature) => signature.id)).toEqual([]);
    });

    it.each(logs("hit"))("wins %s against every other playbook", (name, text) => {
      expect(verdictOf(name, text)).toMatchObject({ playbook: id, label: playbook?.label });
    });

    it("is walked by its own tests, to the end they name, through every answer of every step", () => {
      if (!playbook) throw new Error("broken");
      const { problems, branches } = checkLogs([{ folder, playbook }], { playbooks, rules });
      expect(problems.map(toLine)).toEqual([]);
      expect(branches.tested).toBe(branches.total);
    });

    it.each(logs("miss"))("does not win %s", (name, text) => {
      expect(verdictOf(name, text)).not.toMatchObject({ playbook: id });
    });
  },
);

describe("text without a fault", () => {
  const quiet = join(FIXTURES, "quiet");
  const texts = readdirSync(quiet).flatMap((name) =>
    readFileSync(join(quiet, name), "utf8")
      .split(/^%%$/m)
      .map((text, at) => [`${name}, text ${at + 1}`, text.trim()] as const)
      .filter(([, text]) => text !== ""),
  );

  it("is there in numbers", () => {
    expect(texts.length).toBeGreaterThanOrEqual(300);
  });

  it("gets no answer in a channel nobody asked in", () => {
    const answered = texts.filter(([name, text]) => !isSilent(diagnose([{ name, text }], rules)));
    expect(answered.map(([name, text]) => `${name}: ${verdictOf(name, text).label}`)).toEqual([]);
  });

  it("has no label, but for a few that quote a fault word for word", () => {
    const labelled = texts.filter(([name, text]) => verdictOf(name, text).label !== "none");
    expect(labelled.length / texts.length).toBeLessThanOrEqual(0.02);
  });
});

function isSilent({ label, status }: Verdict): boolean {
  return label === "none" || status === "unclear" || status === "unknown";
}

// A sentence that names a fact is left out while the fact is unknown: what to do must not go with it.
describe.each(["en", "zh"] as const)("a step read before anything is known (%s)", (language) => {
  const ORDERS = {
    en: /(?:^|[.:;] |\b(?:so|then|and) )(?:Stop|Drain|Pin|Take|Set|Go|Use|Load|Start|Restart|Run|Compare|Put|Look|Correct|Wait|Cordon|Move|Free|Mark|Copy|Ask|Keep|Check|Replace|Reset|put|take|go|drain|load|restart|start|pin|use)\b/,
    zh: /(?:^|[，。：；])(?:请|先|停掉|退回|改用|加载|比较|换|设为|取|查|跑|用|把|等到)/,
  };

  it.each(folders.map((one) => [one.folder.id, one.playbook] as const))("keeps every order: %s", (_, playbook) => {
    const lost = Object.entries(playbook?.texts[language].steps ?? {}).flatMap(([step, { say = "" }]) => {
      return say
        .split(/(?<=[.!?]["')]?\s+)(?=\S)|(?<=[。！？])/)
        .filter((one) => placesOf(one.replace(/[(（][^()（）]*[)）]/g, "")).length > 0 && ORDERS[language].test(one))
        .map((one) => `${step}: ${one}`);
    });
    expect(lost).toEqual([]);
  });
});
