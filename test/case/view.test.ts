// What a person sees: the answer first, the story with its lines, one step, and nothing that is not certain said as certain.
import { describe, expect, it } from "vitest";
import { freshCase, pasteOf } from "../../src/case/fresh.ts";
import { openingView } from "../../src/case/opening-view.ts";
import { replay } from "../../src/case/replay.ts";
import { toView } from "../../src/case/view.ts";
import type { View } from "../../src/case/view-type.ts";
import type { Verdict } from "../../src/diagnose/verdict-type.ts";
import type { Playbook } from "../../src/playbook/schema.ts";
import { ask, end, facts, is, playbook } from "./playbooks.ts";
import { given, verdict } from "./verdict.ts";

const STEPS = {
  where: ask("symptom", { gpu: ["shrink", is("memory_kind", "gpu")], host: ["shrink", is("memory_kind", "host")] }),
  shrink: { ...ask("fix", { smaller: "holds" }), risk: "changes-run" as const, command: "ssh {{host}} top -p {{pid}}" },
  holds: ask("verify", { held: "fixed", again: "where" }),
  fixed: end("fixed"),
};
const ids = ["oom", "nccl-timeout", "expert-imbalance", "loss-spike", "checkpoint-mismatch", "other"];
const playbooks = new Map(ids.map((id): [string, Playbook] => [id, playbook(id, { steps: STEPS })]));

function first(some: Partial<Verdict>, language: "en" | "zh" = "en"): View {
  const of = { verdict: verdict(some), inputs: ["h"], rules: "r", playbooks, hash: () => "" };
  return openingView(of, language);
}

const headline = (some: Partial<Verdict>, language: "en" | "zh" = "en"): string => first(some, language).headline;

const timeouts = {
  secondary: [{ label: "nccl-timeout" as const, lines: [{ source: 0, line: 12 }] }],
  cascade: {
    victims: 255,
    late: [],
    missing: [],
    first_to_last_s: 600,
    why: { en: "255 ranks gave up.", zh: "255 个 rank 超时。" },
  },
};

describe("the headline", () => {
  it("says who, what, and that the loud part only follows", () => {
    expect(headline(timeouts)).toBe("Rank 37 (node-014) ran out of GPU memory. The 255 time-outs follow from it.");
  });

  it("reads in Chinese as if written first", () => {
    expect(headline(timeouts, "zh")).toBe("37 号 rank\uff08node-014\uff09显存不足。其余 255 个超时都是它引起的。");
  });

  it("names the kind of memory only where it is known", () => {
    expect(headline({ facts: facts({ memory_kind: ["host", 1] }) })).toContain("ran out of host memory.");
    expect(headline({ facts: {} })).toContain("ran out of memory.");
  });

  it("blames nobody where only victims report, and names the log that would tell", () => {
    const says = headline({
      label: "nccl-timeout",
      playbook: "nccl-timeout",
      root: { ...verdict().root, role: "first-symptom" } as Verdict["root"],
      facts: facts({ collective: ["ALLREDUCE", 7], seq: [77, 7], timeout_ms: [600_000, 7] }),
      would_tell: {
        en: "the flight recorder's dump of all ranks",
        zh: "所有 rank 的 flight recorder",
      },
    });

    expect(says).toBe(
      "ALLREDUCE 77 timed out after 600 s. Which rank held it up cannot be told from this log. What would tell: the flight recorder's dump of all ranks.",
    );
  });

  it("blames the rank that never joined", () => {
    const says = headline({
      label: "nccl-timeout",
      playbook: "nccl-timeout",
      root: { ...verdict().root, role: "first-symptom" } as Verdict["root"],
      facts: facts({ rank: [41, 7], collective: ["ALLREDUCE", 7], seq: [77, 7], timeout_ms: [600_000, 7] }),
      cascade: { ...timeouts.cascade, missing: [41] },
    });

    expect(says).toBe("Rank 41 never joined ALLREDUCE 77; the others waited 600 s for it.");
  });

  it("shows the number that decides beside what it is compared with", () => {
    const skew = facts({ expert: [12, 3], max_tokens: [41000, 3], mean_tokens: [8000, 3] });

    expect(
      headline({ label: "expert-imbalance", playbook: "expert-imbalance", facts: skew, root: verdict().root }),
    ).toBe("Expert 12 on rank 37 (node-014) got 41000 tokens, 5.125 times the mean.");
  });

  it("tells the shapes that do not fit", () => {
    const shapes = facts({
      param: ["embed.weight", 3],
      ckpt_shape: [[32000, 4096], 3],
      model_shape: [[32064, 4096], 3],
    });

    expect(headline({ label: "checkpoint-mismatch", playbook: "checkpoint-mismatch", facts: shapes })).toBe(
      "embed.weight is [32000, 4096] in the checkpoint and [32064, 4096] in the model.",
    );
  });

  it("does not claim to know what nothing knows", () => {
    const unknown = { label: "other" as const, playbook: "other", status: "unknown" as const, facts: {} };

    expect(headline(unknown)).toBe("Something failed here, but no playbook knows what.");
  });

  it("marks what is only described, only probable, or from a draft", () => {
    expect(headline({ root: null, status: "supported" })).toBe("What you describe sounds like this: The oom fault.");
    expect(headline({ status: "unclear" })).toMatch(/^Probably: /);
    const draft = new Map([...playbooks].map(([id, one]) => [id, { ...one, status: "draft" as const }]));
    const of = { verdict: verdict(), inputs: [], rules: "r", playbooks: draft, hash: () => "" };
    expect(openingView(of, "en").headline).toMatch(/^This may be it: /);
  });

  it("says plainly that there is no failure", () => {
    const none = first({ label: "none", playbook: null, root: null, status: "unknown", facts: {}, quotes: [] });

    expect(none).toMatchObject({ headline: "No sign of a failure in this text.", step: null, story: [] });
  });
});

describe("the story", () => {
  it("has at most four lines, each with its place", () => {
    const many = Array.from({ length: 9 }, (_, n) => ({
      at: { source: 0, line: n + 1 },
      quote: `line ${n}`,
      rank: null,
      host: null,
      time: null,
      role: "context" as const,
      count: 1,
    }));
    const { story } = first({ ...timeouts, quotes: many });

    expect(story).toHaveLength(4);
    expect(story.every((line) => line.at !== "")).toBe(true);
  });

  it("tells the memory asked for beside the memory free", () => {
    const { story } = first({ facts: facts({ rank: [37, 7], tried_alloc_gib: [3.5, 7], free_gib: [1.21, 7] }) });

    expect(story[0]).toMatchObject({ say: "rank 37 (node-014) asked for 3.50 GiB with 1.21 GiB free", at: "line 7" });
  });

  it("names the file where there are several", () => {
    const sources = { ...verdict().input, sources: ["rank0.log", "rank37.log"] };
    const at = { source: 1, line: 214 };
    const { story } = first({
      input: sources,
      root: { ...verdict().root, at } as Verdict["root"],
      quotes: [{ at, quote: "CUDA out of memory", rank: 37, host: null, time: null, role: "root", count: 3 }],
    });

    expect(story[0]?.at).toBe("rank37.log:214 and 2 more");
  });
});

describe("what a later paste shows", () => {
  const victims: Partial<Verdict> = {
    label: "nccl-timeout",
    playbook: "nccl-timeout",
    root: { ...verdict().root, at: { source: 0, line: 1 }, role: "first-symptom" } as Verdict["root"],
    facts: facts({ collective: ["ALLREDUCE", 1], seq: [77, 1], timeout_ms: [600_000, 1] }),
    quotes: [
      { at: { source: 0, line: 1 }, quote: "timed out", rank: 3, host: null, time: null, role: "root", count: 1 },
    ],
  };

  function shown(...pastes: Partial<Verdict>[]): View {
    const by = { id: "U1", name: "wei" };
    const place = { enterprise: "", team: "T", channel: "C", thread: "1" };
    const deps = { playbooks, rules: "r", now: () => new Date(0), newId: () => "case-1", hash: () => "h" };
    const fresh = freshCase({ place, given: given(pastes[0]), language: "en", by }, deps);
    if (!fresh) throw new Error("nothing to walk");
    const { record } = fresh;
    for (const paste of pastes.slice(1))
      record.entries.push({ ...pasteOf(given(paste), [], deps), seq: record.entries.length, by, at: "" });
    const quotes = new Map(pastes.map((paste, seq) => [seq, verdict(paste).quotes]));
    return toView({ record, walked: replay(record, playbooks), playbooks, quotes, language: "en" });
  }

  it("is the answer, where the first showed only victims, who are told of after it", () => {
    const view = shown(victims, {});

    expect(view.headline).toBe("Rank 37 (node-014) ran out of GPU memory.");
    expect(view.label).toBe("oom");
    expect(view.story.map(({ at }) => at)).toEqual(["your paste, line 7", "line 1"]);
  });

  it("changes nothing about the answer where the first showed the cause, or the later one shows none", () => {
    expect(shown({}, victims).headline).toBe(shown({}).headline);
    expect(shown(victims, { label: "none", root: null }).headline).toBe(shown(victims).headline);
    expect(shown(victims, { status: "unclear" }).headline).toBe(shown(victims).headline);
  });
});

function later(entries: ("back" | { answer: string } | { paste: Parameters<typeof facts>[0] })[]): View {
  const fresh = freshCase(
    {
      place: { enterprise: "", team: "T", channel: "C", thread: "1" },
      given: given(),
      language: "en",
      by: { id: "U1", name: "wei" },
    },
    {
      playbooks,
      rules: "r",
      now: () => new Date(0),
      newId: () => "case-1",
      hash: () => "h",
    },
  );
  if (!fresh) throw new Error("nothing to walk");
  const { record } = fresh;
  for (const one of entries) {
    const happened = { seq: record.entries.length, by: { id: "U1", name: "wei" }, at: "" };
    if (one === "back") record.entries.push({ ...happened, kind: "back" });
    else if ("answer" in one) {
      const step = replay(record, playbooks).states.at(-1)?.step ?? "";
      record.entries.push({ ...happened, kind: "answer", step, choice: one.answer });
    } else {
      const opening = record.entries[0];
      if (opening?.kind !== "paste") throw new Error("no opening paste");
      record.entries.push({ ...opening, ...happened, facts: facts(one.paste), readings: [] });
    }
  }
  return toView({ record, walked: replay(record, playbooks), playbooks, quotes: new Map(), language: "en" });
}

describe("the step", () => {
  it("fills what is known into a command and leaves the rest to the person", () => {
    expect(later([]).step).toMatchObject({
      id: "oom#shrink",
      phaseName: "Fix",
      command: "ssh node-014 top -p <pid>",
      risk: "changes-run",
      riskName: "changes the run",
      choices: [{ id: "smaller", label: "It is smaller" }],
    });
  });

  it("fills a size in the unit a text names, whichever the log printed", () => {
    const texts = playbooks.get("oom")?.texts.en.steps.shrink;
    if (texts) texts.say = "{{free_gib}} GiB free";

    expect(later([{ paste: { free_mib: [512, 3] } }]).step?.say).toBe("0.5 GiB free");
  });

  it("says what the evidence settled, with its line", () => {
    expect(later([]).settled).toEqual([{ say: "where? It is gpu", at: "line 7" }]);
  });

  it("says no longer what was settled before the person's last answer", () => {
    const view = later([{ answer: "smaller" }]);

    expect(view.settled).toEqual([]);
    expect(view.history.map((line) => line.at)).toEqual(["line 7", "answered by wei"]);
  });

  it("offers to reopen what a later paste contradicts, and says where that paste says so", () => {
    const view = later([{ paste: { memory_kind: ["host", 3] } }]);

    expect(view.step?.choices.at(-1)).toEqual({ id: "reopen:oom#where", label: "Reopen: where?" });
    expect(view.problems).toEqual([
      '"where?" stands at "It is gpu", but newer evidence says "It is host" (your paste, line 3).',
    ]);
  });
});

describe("the end", () => {
  it("says what it was, what was done, and how it was seen to hold", () => {
    expect(later([{ answer: "smaller" }, { answer: "held" }]).ended).toEqual({
      outcome: "fixed",
      title: "Fixed",
      say: [
        "What it was: Rank 37 (node-014) ran out of GPU memory.",
        "What was done: shrink? It is smaller",
        "How it was seen to hold: holds? It is held",
        "About fixed.",
      ].join("\n"),
    });
  });
});
