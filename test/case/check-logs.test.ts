// A folder whose logs or walks do not do what they say is reported where it says so.
import { describe, expect, it } from "vitest";
import { checkLogs } from "../../src/case/check-logs.ts";
import { toLine } from "../../src/playbook/problem.ts";
import { ask, end, is, playbook } from "./playbooks.ts";

// A draft need not be walked through whole.
const OOM = {
  ...playbook("oom", {
    steps: {
      where: ask("symptom", { gpu: ["shrink", is("memory_kind", "gpu")], host: "shrink" }),
      shrink: ask("fix", { smaller: "holds" }),
      holds: ask("verify", { held: "fixed", again: "where" }),
      fixed: end("fixed"),
    },
  }),
  status: "draft" as "draft" | "stable",
  signatures: [
    {
      id: "cuda-oom",
      pattern: "CUDA out of memory",
      literal: "CUDA out of memory",
      weight: "strong" as const,
      role: "cause" as const,
      implies: { memory_kind: "gpu" },
      seen: "",
      source: "",
    },
  ],
};

function check(files: Record<string, string>, body = OOM) {
  const playbooks = new Map([[body.id, body]]);
  const signatures = OOM.signatures.map((one) => ({ ...one, playbook: "oom", label: "oom" as const }));
  const rules = { version: "test", words: [], signatures };
  const folder = { id: "oom", path: "playbooks/oom", files };
  const checked = checkLogs([{ folder, playbook: body }], { playbooks, rules });
  return { ...checked, said: checked.problems.map(toLine) };
}

const HIT = "step 1\n[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB.\n";
const walk = (entries: string, steps: string, outcome: string): string =>
  `log: ../logs/hit-a.log\nentries: ${entries}\nexpect:\n  steps: ${steps}\n  outcome: ${outcome}\n`;

describe("logs", () => {
  it("says nothing where hits are won and misses are not", () => {
    expect(check({ "logs/hit-a.log": HIT, "logs/miss-b.log": "all is well\n" }).said).toEqual([]);
  });

  it("names a hit log that is not won, with what it is taken for", () => {
    expect(check({ "logs/hit-a.log": "all is well\n" }).said).toEqual([
      "playbooks/oom/logs/hit-a.log:1:1: is diagnosed as none, not as oom; mend the signatures or the log [hit-log]",
    ]);
  });

  it("names a miss log that is won, at the line that won it", () => {
    expect(check({ "logs/miss-b.log": HIT }).said).toEqual([
      "playbooks/oom/logs/miss-b.log:2:1: is won by oom, which it only looks like; mend the signatures or the log [miss-log]",
    ]);
  });
});

describe("walks", () => {
  it("follows one and counts the branches it passes", () => {
    const right = walk(
      "[{ answer: smaller }, { back: true }, { answer: smaller }, { answer: held }]",
      "[where, oom#shrink, holds, fixed]",
      "fixed",
    );

    expect(check({ "logs/hit-a.log": HIT, "walks/a.yaml": right })).toMatchObject({
      said: [],
      branches: { total: 5, tested: 3 },
    });
  });

  it.each([
    [
      "another way",
      walk("[{ answer: smaller }]", "[where, fixed]", "null"),
      "4:18: the walk goes: oom#where, oom#shrink, oom#holds [walk]",
    ],
    [
      "another end",
      walk("[{ answer: smaller }]", "[where, shrink, holds]", "fixed"),
      "5:12: the walk ends open [walk]",
    ],
    [
      "more steps",
      walk("[{ answer: smaller }]", "[where, shrink]", "null"),
      "4:18: the walk goes: oom#where, oom#shrink, oom#holds [walk]",
    ],
    [
      "an answer that is none",
      walk("[{ answer: nope }]", "[where]", "null"),
      '2:11: "nope" is not a choice of oom#shrink; choices: smaller [walk]',
    ],
    [
      "a log that is not there",
      walk("[]", "[where]", "null").replace("hit-a", "hit-z"),
      "1:6: there is no ../logs/hit-z.log beside this walk [walk]",
    ],
    ["broken YAML", "entries: [", ":"],
    ["an entry of no form", walk("[{ click: gpu }]", "[where]", "null"), "2:11: entries.0: Invalid input [walk]"],
  ])("names %s", (_, text, says) => {
    expect(check({ "logs/hit-a.log": HIT, "walks/a.yaml": text }).said[0]).toContain(says);
  });
});

describe("branches", () => {
  const stable = { ...OOM, status: "stable" as const };
  const yaml = "steps:\n  where:\n    choices:\n      gpu: { to: shrink }\n      host: { to: shrink }\n";

  it("of a stable playbook that no walk takes are named where they stand", () => {
    const entries = "[{ answer: smaller }, { answer: again }, { answer: host }, { answer: smaller }, { answer: held }]";
    const steps = "[where, shrink, holds, where, shrink, holds, fixed]";
    const files = { "logs/hit-a.log": HIT, "walks/a.yaml": walk(entries, steps, "fixed"), "playbook.yaml": yaml };
    expect(check(files, stable).said).toEqual([]);

    const { "walks/a.yaml": _, ...without } = files;
    expect(check(without, stable).said).toContain(
      'playbooks/oom/playbook.yaml:5:13: no walk of this playbook\'s tests takes "host" at where; add one, or make it a draft [untested]',
    );
  });

  it("of a draft may wait", () => {
    expect(check({ "logs/hit-a.log": HIT, "playbook.yaml": yaml }).said).toEqual([]);
  });
});
