// The 58 statements and the corrections: each is taught at a step that a walk passes, and docs/chains.md says which.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getShortestPaths } from "xstate/graph";
import { machineOf, type Opening, standsAt, type WalkEntry, walk } from "../src/case/walk.ts";
import { PLAYBOOKS, readCatalog } from "../src/catalog.ts";
import type { Playbook } from "../src/playbook/schema.ts";

const { playbooks } = await readCatalog(PLAYBOOKS);
const page = readFileSync(join(import.meta.dirname, "..", "docs", "chains.md"), "utf8");

/** How many statements of each kind a chain has. */
const STATEMENTS: Record<string, Record<string, number>> = {
  "5.1": { S: 3, L: 4, F: 4, C: 3 },
  "5.2": { S: 2, L: 3, F: 4, C: 2 },
  "5.3": { S: 3, L: 4, F: 4, C: 2 },
  "5.4": { S: 2, L: 3, F: 3, C: 2 },
  "5.5": { S: 3, L: 3, F: 3, C: 1 },
};

const statements = Object.entries(STATEMENTS).flatMap(([chain, kinds]) =>
  Object.entries(kinds).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, at) => `${chain}-${kind}${at + 1}`),
  ),
);
const corrections = Array.from({ length: 26 }, (_, at) => String(at + 1));

/** What the ledgers and the linter will show, each with a calculation; until then the page says so. */
const ARITHMETIC = "arithmetic: comes with the ledgers";

const steps = [...playbooks.values()].flatMap((playbook) =>
  Object.entries(playbook.steps).map(([id, step]) => ({ playbook, id, name: `${playbook.id}#${id}`, step })),
);

function taughtAt(statement: string) {
  return steps.filter(({ step }) => step.chains?.includes(statement));
}

function shownAt(correction: string) {
  return steps.filter(({ step }) => step.corrections?.some((one) => String(one) === correction));
}

/** The third column of the page, by the first. */
const rows = new Map(
  Array.from(page.matchAll(/^\| (\S+) \| (.+) \| (.*?) \|$/gm), ([, id = "", says = "", where = ""]) => [
    id,
    { says, where },
  ]),
);

/** Answers that lead from where a walk opens to the step, and one more that leaves it. */
function scriptTo(playbook: Playbook, step: string): { opening: Opening; entries: WalkEntry[] } {
  const openings = [[null, playbook.start] as const, ...Object.entries(playbook.opens ?? {})];
  const machine = machineOf(playbook);
  for (const [subcause, start] of openings) {
    const fromState = machine.resolveState({ value: start, context: {} });
    const path = getShortestPaths(machine, { fromState }).find(({ state }) => state.value === step);
    if (!path) continue;
    const answers = path.steps.map(({ event }) => event.type).filter((type) => type !== "xstate.init");
    const leave = Object.keys(playbook.steps[step]?.choices ?? {})[0];
    const entries = [...answers, ...(leave ? [leave] : [])].map((choice, entry) => ({
      kind: "answer" as const,
      entry,
      choice,
    }));
    return { opening: { playbooks, playbook: playbook.id, subcause }, entries };
  }
  throw new Error(`no walk reaches ${playbook.id}#${step}`);
}

it("counts 58 statements", () => {
  expect(statements).toHaveLength(58);
});

describe.each(statements)("statement %s", (statement) => {
  it("is taught at a step that a scripted walk passes", () => {
    const [taught] = taughtAt(statement);
    if (!taught) throw new Error("no step teaches it");
    const { opening, entries } = scriptTo(taught.playbook, taught.id);
    const walked = walk(opening, entries);
    expect(walked.passedOver).toEqual([]);
    const passed = taught.step.choices ? walked.states.slice(0, -1) : walked.states;
    expect(passed.map(({ step }) => step)).toContain(taught.name);
  });

  it("is taught wherever the page says, and nowhere else", () => {
    expect(rows.get(statement)?.where).toBe(listed(taughtAt(statement)));
  });
});

describe.each(corrections)("correction %s", (correction) => {
  it("is shown at a step that a scripted walk reaches, or comes with the ledgers, as the page says", () => {
    const shown = shownAt(correction);
    expect(rows.get(correction)?.where).toBe(shown.length > 0 ? listed(shown) : ARITHMETIC);
    for (const { playbook, id, name } of shown) {
      const { opening, entries } = scriptTo(playbook, id);
      expect(standsAt(walk(opening, entries.slice(0, -1))).step).toBe(name);
    }
  });

  it("says in every language what is commonly advised and why not", () => {
    const shown = shownAt(correction);
    const said = shown.some(({ playbook, id }) =>
      Object.values(playbook.texts).every(({ steps }) => steps[id]?.commonly),
    );
    expect(said).toBe(shown.length > 0);
  });
});

it("shows every correction that is not arithmetic", () => {
  const arithmetic = corrections.filter((one) => shownAt(one).length === 0);
  expect(arithmetic.filter((one) => !["7", "22"].includes(one))).toEqual([]);
});

function listed(found: readonly { name: string }[]): string {
  return found.map(({ name }) => `\`${name}\``).join(" ");
}
