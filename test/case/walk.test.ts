// The seven rules of a walk, each with the smallest playbook that shows it.
import { describe, expect, it } from "vitest";
import { standsAt, type Walk, type WalkEntry, walk } from "../../src/case/walk.ts";
import type { Facts } from "../../src/facts/fact.ts";
import type { Playbook } from "../../src/playbook/schema.ts";
import { ask, end, facts, is, known, playbook } from "./playbooks.ts";

const OOM = playbook("oom", {
  opens: { leak: "grew" },
  steps: {
    where: ask("symptom", { gpu: ["grew", is("memory_kind", "gpu")], host: ["grew", is("memory_kind", "host")] }),
    grew: ask("locate", { leak: "foreign", flat: "foreign" }),
    foreign: ask("locate", { yes: ["free-card", known("pid")], no: "shrink" }),
    "free-card": ask("fix", { freed: "holds" }),
    shrink: ask("fix", { smaller: "holds", "gpu-lost": "to-nccl" }),
    holds: ask("verify", { holds: "fixed", "came-back": "where" }),
    "to-nccl": { hands: "nccl-timeout#lost" },
    fixed: end("fixed"),
  },
});
const NCCL = playbook("nccl-timeout", {
  steps: {
    seen: ask("symptom", { once: "lost" }),
    lost: ask("locate", { card: ["done", known("xid")], link: "done" }),
    done: end("handed-over"),
  },
});
const BOTH = [OOM, NCCL];

type Short = { paste: Facts } | { answer: string; at?: string } | "back";

function run(entries: Short[], { playbooks = BOTH, subcause = null as string | null } = {}): Walk {
  const numbered = entries.map((one, entry): WalkEntry => {
    if (one === "back") return { kind: "back", entry };
    if ("paste" in one) return { kind: "paste", entry, facts: one.paste };
    return { kind: "answer", entry, choice: one.answer, step: one.at };
  });
  const all = new Map(playbooks.map((one): [string, Playbook] => [one.id, one]));
  return walk({ playbooks: all, playbook: playbooks[0]?.id ?? "", subcause }, numbered);
}

const steps = (walked: Walk): string[] => walked.states.map((state) => state.step.replace("oom#", ""));
const path = (walked: Walk): string[] =>
  walked.states.map((state) => `${state.step.replace("oom#", "")} ${state.answer ?? state.how}`);

const gpu = { paste: facts({ memory_kind: ["gpu", 7] }) };
const host = { paste: facts({ memory_kind: ["host", 3] }) };
const pid = { paste: facts({ pid: [88214, 2] }) };
const nothing = { paste: {} };

describe("where a walk begins", () => {
  it("begins at the first step", () => {
    expect(path(run([]))).toEqual(["where start"]);
  });

  it("begins where the playbook opens for the kind of fault", () => {
    expect(path(run([], { subcause: "leak" }))).toEqual(["grew start"]);
  });

  it("begins at the first step for a kind the playbook does not name", () => {
    expect(path(run([], { subcause: "toString" }))).toEqual(["where start"]);
  });
});

describe("what facts settle", () => {
  it("passes a step that the facts known so far answer", () => {
    const walked = run([gpu]);

    expect(path(walked)).toEqual(["where gpu", "grew open"]);
    expect(walked.states[0]).toMatchObject({ how: "evidence", lines: [{ entry: 0, source: 0, line: 7 }] });
  });

  it("asks whether a fix holds of what was pasted after it, not of what showed the fault", () => {
    const spike = playbook("loss-spike", {
      steps: {
        kind: ask("symptom", { spike: ["clip", is("loss_shape", "spike-open")] }),
        clip: ask("fix", { lowered: "calm" }),
        calm: ask("verify", { "second-spike": ["kind", is("loss_shape", "spike-open")], calm: "fixed" }),
        fixed: end("fixed"),
      },
    });
    const shown: Short = { paste: facts({ loss_shape: ["spike-open", 4] }) };

    expect(path(run([shown, { answer: "lowered" }], { playbooks: [spike] })).at(-1)).toBe("loss-spike#calm open");
    expect(path(run([shown, { answer: "lowered" }, shown], { playbooks: [spike] })).at(2)).toBe(
      "loss-spike#calm second-spike",
    );
  });

  it("takes a list that a reader found empty for no finding", () => {
    const found = playbook("nccl-timeout", {
      steps: {
        link: ask("locate", { bad: ["end", known("slow_hosts")], even: "end" }),
        end: end("unknown"),
      },
    });

    expect(path(run([{ paste: facts({ slow_hosts: [[], 4] }) }], { playbooks: [found] }))).toEqual([
      "nccl-timeout#link start",
    ]);
  });

  it("passes a later step at once with facts that were known before it", () => {
    expect(path(run([gpu, pid, { answer: "flat" }]))).toEqual([
      "where gpu",
      "grew flat",
      "foreign yes",
      "free-card open",
    ]);
  });

  it("takes the newest value of a fact", () => {
    expect(path(run([{ paste: facts({ gpu: [1, 1] }) }, gpu, nothing]))).toEqual(["where gpu", "grew open"]);
    expect(run([gpu, host]).facts.memory_kind).toMatchObject({ value: "host", entry: 1 });
  });

  it("takes the first choice whose condition holds", () => {
    const first = playbook("oom", {
      steps: { a: ask("symptom", { one: ["end", known("gpu")], two: ["end", is("gpu", 3)] }), end: end("fixed") },
    });

    expect(path(run([{ paste: facts({ gpu: [3, 1] }) }], { playbooks: [first] }))).toEqual(["a one", "end end"]);
  });

  it("names only the facts of an `any` that hold", () => {
    const either = playbook("oom", {
      steps: { a: ask("symptom", { x: ["end", { any: [is("gpu", 9), known("pid")] }] }), end: end("fixed") },
    });
    const walked = run([{ paste: facts({ gpu: [3, 1], pid: [5, 2] }) }], { playbooks: [either] });

    expect(walked.states[0]?.lines).toEqual([{ entry: 0, source: 0, line: 2 }]);
  });
});

describe("loops", () => {
  const around: Short[] = [gpu, { answer: "flat" }, { answer: "no" }, { answer: "smaller" }, { answer: "came-back" }];

  it("asks a step again when a loop leads back to it and nothing newer is known", () => {
    expect(path(run(around)).at(-1)).toBe("where open");
  });

  it("settles it again with newer facts only", () => {
    expect(path(run([...around, host])).slice(-2)).toEqual(["where host", "grew open"]);
  });

  it("settles it again where the same fact was found once more", () => {
    expect(path(run([...around, gpu])).slice(-2)).toEqual(["where gpu", "grew open"]);
  });

  it("ends where facts would lead around a loop for ever", () => {
    const ring = playbook("oom", {
      steps: { a: ask("symptom", { on: ["b", known("gpu")] }), b: ask("locate", { on: ["a", known("gpu")] }) },
    });

    expect(path(run([{ paste: facts({ gpu: [3, 1] }) }], { playbooks: [ring] }))).toEqual(["a on", "b on", "a open"]);
  });
});

describe("a newer fact that contradicts a settled step", () => {
  it("never moves the walk, and offers to reopen the step", () => {
    const walked = run([gpu, host]);

    expect(steps(walked)).toEqual(["where", "grew"]);
    expect(standsAt(walked).choices).toEqual(["leak", "flat", "reopen:oom#where"]);
    expect(walked.problems).toMatchObject([
      { kind: "contradicted", step: "oom#where", answer: "gpu", instead: "host" },
    ]);
  });

  it("contradicts a person's answer too", () => {
    const walked = run([{ answer: "gpu" }, host]);

    expect(standsAt(walked).choices).toContain("reopen:oom#where");
  });

  it("goes back there when asked to, and what was answered after it no longer counts", () => {
    const walked = run([gpu, { answer: "flat" }, host, { answer: "reopen:oom#where" }]);

    expect(path(walked)).toEqual(["where host", "grew open"]);
    expect(walked.problems).toEqual([]);
  });

  it("settles steps after the reopened one with facts known all along", () => {
    const walked = run([gpu, pid, { answer: "flat" }, host, { answer: "reopen:oom#where" }, { answer: "leak" }]);

    expect(path(walked)).toEqual(["where host", "grew leak", "foreign yes", "free-card open"]);
  });

  it("is none where it shows that a fix holds", () => {
    const mended = playbook("oom", {
      steps: {
        where: ask("locate", {
          gpu: ["shrink", is("memory_kind", "gpu")],
          host: ["shrink", is("memory_kind", "host")],
        }),
        shrink: ask("fix", { done: "holds" }),
        holds: ask("verify", { held: ["end", is("memory_kind", "host")] }),
        end: end("fixed"),
      },
    });

    const proved = run([gpu, { answer: "done" }, host], { playbooks: [mended] });
    expect(standsAt(proved)).toMatchObject({ step: "oom#end", choices: [] });
    expect(proved.problems).toEqual([]);
    const before = run([gpu, host, { answer: "done" }], { playbooks: [mended] });
    expect(before.problems).toMatchObject([{ step: "oom#where", instead: "host" }]);
  });

  it("offers it at a final step, and nothing else", () => {
    const walked = run([
      { answer: "gpu" },
      { answer: "flat" },
      { answer: "no" },
      { answer: "smaller" },
      { answer: "holds" },
      host,
    ]);

    expect(standsAt(walked)).toMatchObject({ how: "end", choices: ["reopen:oom#where"] });
    expect(walked.outcome).toBe("fixed");
  });

  it("says nothing where the newer fact agrees", () => {
    expect(run([gpu, gpu]).problems).toEqual([]);
  });

  it("takes no reopening that was not offered", () => {
    expect(run([gpu, { answer: "reopen:oom#where" }]).passedOver).toEqual([1]);
  });
});

describe("back", () => {
  it("undoes an answer", () => {
    expect(path(run([gpu, { answer: "flat" }, "back"]))).toEqual(["where gpu", "grew open"]);
  });

  it("undoes a paste with the steps its facts settled, and keeps the facts", () => {
    const walked = run([gpu, "back"]);

    expect(path(walked)).toEqual(["where start"]);
    expect(walked.facts.memory_kind?.value).toBe("gpu");
  });

  it("does not let facts known at that time settle the undone steps again", () => {
    expect(path(run([gpu, "back", pid]))).toEqual(["where start"]);
    expect(path(run([gpu, pid, { answer: "flat" }, "back", { answer: "flat" }])).at(-1)).toBe("foreign open");
  });

  it("lets newer facts or an answer settle them", () => {
    expect(path(run([gpu, "back", host]))).toEqual(["where host", "grew open"]);
    expect(path(run([gpu, "back", { answer: "host" }]))).toEqual(["where host", "grew open"]);
  });

  it("still settles other steps with the facts it left known", () => {
    expect(path(run([gpu, { answer: "flat" }, pid, "back", { answer: "no" }, { answer: "smaller" }])).at(-1)).toBe(
      "holds open",
    );
    expect(path(run([pid, "back", gpu, { answer: "flat" }])).slice(-2)).toEqual(["foreign yes", "free-card open"]);
  });

  it("undoes one entry after another, the newest first", () => {
    expect(path(run([gpu, { answer: "flat" }, { answer: "no" }, "back", "back"]))).toEqual(["where gpu", "grew open"]);
  });

  it("changes nothing where nothing is left to undo", () => {
    expect(path(run(["back", "back", gpu]))).toEqual(["where gpu", "grew open"]);
  });

  it("undoes a reopening, and offers it again", () => {
    const walked = run([gpu, { answer: "flat" }, host, { answer: "reopen:oom#where" }, "back"]);

    expect(path(walked)).toEqual(["where gpu", "grew flat", "foreign open"]);
    expect(standsAt(walked).choices).toContain("reopen:oom#where");
  });

  it("leads away from an end", () => {
    const walked = run([gpu, { answer: "flat" }, { answer: "no" }, { answer: "smaller" }, { answer: "holds" }, "back"]);

    expect(walked.outcome).toBeNull();
    expect(path(walked).at(-1)).toBe("holds open");
  });
});

describe("handoffs", () => {
  const handed: Short[] = [gpu, { answer: "flat" }, { answer: "no" }, { answer: "gpu-lost" }];

  it("goes on in the other playbook, as a state like any other", () => {
    expect(path(run(handed)).slice(-3)).toEqual(["shrink gpu-lost", "to-nccl answer", "nccl-timeout#lost open"]);
  });

  it("takes all facts along", () => {
    const walked = run([{ paste: facts({ memory_kind: ["gpu", 7], xid: [79, 9] }) }, ...handed.slice(1)]);

    expect(path(walked).slice(-2)).toEqual(["nccl-timeout#lost card", "nccl-timeout#done end"]);
    expect(walked.outcome).toBe("handed-over");
    expect(Object.keys(walked.facts)).toEqual(["memory_kind", "xid"]);
  });

  it("is undone with the answer that led to it", () => {
    expect(path(run([...handed, "back"])).at(-1)).toBe("shrink open");
  });

  it("stops and says so where that playbook is missing", () => {
    const walked = run(handed, { playbooks: [OOM] });

    expect(steps(walked).at(-1)).toBe("to-nccl");
    expect(walked.problems).toEqual([{ kind: "no-playbook", step: "oom#to-nccl", playbook: "nccl-timeout" }]);
  });

  it("ends where two playbooks hand a case back and forth", () => {
    const here = playbook("oom", { steps: { a: ask("symptom", { on: "over" }), over: { hands: "other#over" } } });
    const there = playbook("other", { steps: { a: ask("symptom", { on: "over" }), over: { hands: "oom#over" } } });
    const walked = run([{ answer: "on" }], { playbooks: [here, there] });

    expect(walked.problems).toMatchObject([{ kind: "handoff-loop" }]);
    expect(walked.outcome).toBeNull();
  });
});

describe("answers that do not fit", () => {
  it("passes over a choice the step does not have", () => {
    const walked = run([{ answer: "nonsense" }, { answer: "constructor" }, { answer: "gpu" }]);

    expect(path(walked)).toEqual(["where gpu", "grew open"]);
    expect(walked.passedOver).toEqual([0, 1]);
  });

  it("passes over a click on a step that is over", () => {
    expect(
      run([
        { answer: "gpu", at: "oom#where" },
        { answer: "gpu", at: "oom#where" },
      ]).passedOver,
    ).toEqual([1]);
  });
});

describe("any entries at all", () => {
  const choices = [
    "gpu",
    "host",
    "leak",
    "flat",
    "yes",
    "no",
    "freed",
    "smaller",
    "gpu-lost",
    "holds",
    "came-back",
    "link",
  ];

  /** A small linear generator, so that a failing round can be run again. */
  function randomEntries(seed: number): Short[] {
    let state = seed;
    const next = (n: number): number => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return Math.floor(state / 65536) % n;
    };
    return Array.from({ length: 25 }, (): Short => {
      const kind = next(8);
      if (kind === 0) return "back";
      if (kind === 1) return [gpu, host, pid, nothing, { paste: facts({ xid: [79, 4] }) }][next(5)] ?? nothing;
      if (kind === 2) return { answer: `reopen:oom#${["where", "grew", "foreign"][next(3)]}` };
      return { answer: choices[next(choices.length)] ?? "" };
    });
  }

  it("never throws, and the same entries give the same walk", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const entries = randomEntries(seed);

      const once = run(entries);

      expect(once.states.length).toBeGreaterThan(0);
      expect(run(entries)).toEqual(once);
    }
  });

  it("settles no step with a fact older than the time it was last settled or undone", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const walked = run(randomEntries(seed));

      const seen = new Map<string, number>();
      for (const state of walked.states) {
        const before = seen.get(state.step) ?? -1;
        if (state.how === "evidence")
          expect(Math.min(...state.lines.map((line) => line.entry))).toBeGreaterThan(before);
        if (state.answer !== undefined) seen.set(state.step, state.entry);
      }
    }
  });
});
