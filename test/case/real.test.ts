// Every playbook of ours, walked at random: no answers, pastes or steps back break a walk or a view.
import { describe, expect, it } from "vitest";
import { replay } from "../../src/case/replay.ts";
import type { CaseRecord } from "../../src/case/store.ts";
import { toView } from "../../src/case/view.ts";
import { standsAt } from "../../src/case/walk.ts";
import { PLAYBOOKS, readCatalog } from "../../src/catalog.ts";
import { FACTS } from "../../src/facts/catalogue.ts";
import type { Facts, FactValue } from "../../src/facts/fact.ts";

const { playbooks } = await readCatalog(PLAYBOOKS);
const wei = { id: "U1" };

/** A small linear generator, so that a failing round can be run again. */
function generator(seed: number) {
  let state = seed;
  return (n: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor(state / 65536) % n;
  };
}

const names = Object.keys(FACTS);
const values: Record<string, FactValue[]> = {
  number: [0, 1, 7, 79, 0.5, 1e9],
  text: ["gpu", "host", "a-b", "; rm -rf /", "<!channel>"],
  flag: [true, false],
  numbers: [[], [3], [0, 1, 2]],
  texts: [[], ["node-1"], ["$(id)", "x"]],
};

function someFacts(next: (n: number) => number): Facts {
  return Object.fromEntries(
    Array.from({ length: next(6) }, () => {
      const name = names[next(names.length)] ?? "rank";
      const all = values[FACTS[name]?.type ?? "number"] ?? [];
      return [name, { value: all[next(all.length)] ?? 0, lines: [{ source: 0, line: 1 + next(50) }] }];
    }),
  );
}

function randomCase(id: string, seed: number): CaseRecord {
  const next = generator(seed);
  const record: CaseRecord = {
    id: "case-1",
    place: { enterprise: "", team: "T", channel: "C", thread: "1" },
    playbooks: [{ id, hash: "" }],
    language: "en",
    receipt: "",
    entries: [],
    openedAt: "",
    closedAt: null,
    fault: null,
  };
  for (let seq = 0; seq < 30; seq++) {
    const happened = { seq, by: wei, at: "" };
    const kind = next(10);
    if (kind === 0) record.entries.push({ ...happened, kind: "back" });
    else if (kind < 4) {
      const sources = [{ name: "paste", lines: 50, bytes: 999, hash: "" }];
      const rest = { lines: [], quotes: null, verdict: null, readings: [], message: null };
      record.entries.push({ ...happened, kind: "paste", sources, facts: someFacts(next), ...rest });
    } else {
      const { step, choices } = standsAt(replay(record, playbooks));
      record.entries.push({ ...happened, kind: "answer", step, choice: choices[next(choices.length || 1)] ?? "none" });
    }
  }
  return record;
}

describe.each([...playbooks.keys()])("playbook %s", (id) => {
  it("can be walked and shown in both languages, whatever comes in", () => {
    for (let seed = 1; seed <= 25; seed++) {
      const record = randomCase(id, seed);
      const walked = replay(record, playbooks);

      for (const language of ["en", "zh"] as const) {
        const view = toView({ record, walked, playbooks, quotes: new Map(), language });
        expect(view.step?.title).not.toBe("");
        expect(view.step?.command ?? "").not.toMatch(/rm -rf|\$\(id\)|<!channel>/);
      }
      expect(walked.problems.filter(({ kind }) => kind !== "contradicted")).toEqual([]);
    }
  });
});

describe("an end with another team", () => {
  it("gives the text to send on, with what is known in it and the rest to be filled in", () => {
    const known = { loss_fault: "nan", rerun_verdict: "persistent", host: "node-07", gpu: 5, step: 880 };
    const record = randomCase("loss-spike", 1);
    record.entries = [
      {
        seq: 0,
        by: wei,
        at: "",
        kind: "paste",
        sources: [{ name: "paste", lines: 50, bytes: 999, hash: "" }],
        facts: Object.fromEntries(
          Object.entries(known).map(([name, value]) => [name, { value, lines: [{ source: 0, line: 3 }] }]),
        ),
        lines: [],
        quotes: null,
        verdict: null,
        readings: [],
        message: null,
      },
      { seq: 1, by: wei, at: "", kind: "answer", step: "loss-spike#drain-node", choice: "not-allowed" },
    ];
    const walked = replay(record, playbooks);

    const view = toView({ record, walked, playbooks, quotes: new Map(), language: "en" });

    expect(view.ended?.outcome).toBe("handed-over");
    expect(view.ended?.say).toContain("To send on: Wrong numbers in training");
    expect(view.ended?.say).toContain("at step 880 on rank <rank>, node node-07, GPU 5; rerun verdict: persistent");
  });
});
