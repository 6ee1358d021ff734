// What belongs to a case that the same person opened a moment before, and what is another failure.
import { describe, expect, it } from "vitest";
import { freshCase } from "../../src/case/fresh.ts";
import { belongsTogether } from "../../src/case/together.ts";
import type { Verdict } from "../../src/diagnose/verdict-type.ts";
import { ask, end, facts, playbook } from "./playbooks.ts";
import { given, verdict } from "./verdict.ts";

const STEPS = { where: ask("symptom", { gpu: "fixed" }), fixed: end("fixed") };
const ids = ["oom", "nccl-timeout", "checkpoint-mismatch"];
const playbooks = new Map(ids.map((id) => [id, playbook(id, { steps: STEPS })]));

const at = (time: string | null, role: "cause" | "first-symptom" = "cause"): Verdict["root"] =>
  ({ ...verdict().root, time, role }) as Verdict["root"];
const cascade = {
  victims: 4,
  late: [],
  missing: [],
  first_to_last_s: 600,
  why: { en: "4 ranks gave up.", zh: "4 个 rank 超时。" },
};
const cause = (time: string | null, more: Partial<Verdict> = {}): Partial<Verdict> => ({ root: at(time), ...more });
const victims = (time: string | null): Partial<Verdict> => ({
  label: "nccl-timeout",
  playbook: "nccl-timeout",
  root: at(time, "first-symptom"),
});

function belongs(first: Partial<Verdict>, next: Partial<Verdict>): boolean {
  const place = { enterprise: "", team: "T", channel: "C", thread: "1" };
  const deps = { playbooks, rules: "r", now: () => new Date(0), newId: () => "c", hash: () => "h" };
  const fresh = freshCase({ place, given: given(first), language: "en", by: { id: "U1" } }, deps);
  if (!fresh) throw new Error("no case");
  return belongsTogether(fresh.record, given(next, { texts: [] }));
}

describe("what follows a log", () => {
  it.each<[string, Partial<Verdict>, Partial<Verdict>]>([
    ["its victims, who give up later", cause("2026-03-02 04:01:09"), victims("2026-03-02 04:11:09")],
    ["the cause, where victims came first", victims("2026-03-02 04:11:09"), cause("2026-03-02 04:01:09")],
    ["other victims of the same moment", victims("2026-03-02 04:11:09"), victims("2026-03-02 04:11:30")],
    ["another rank that failed as well", cause("2026-03-02 04:01:09"), cause("2026-03-02 04:01:12")],
    ["what has no time", cause(null), victims("04:11:09")],
    ["facts without a failure", cause("2026-03-02 04:01:09"), { label: "none", root: null }],
  ])("belongs to it: %s", (_what, first, next) => {
    expect(belongs(first, next)).toBe(true);
  });

  it.each<[string, Partial<Verdict>, Partial<Verdict>]>([
    ["victims of another day", cause("2026-03-02 04:01:09"), victims("2026-03-03 04:11:09")],
    ["victims from before", cause("2026-03-02 04:01:09"), victims("2026-03-02 03:10:09")],
    ["a cause long after the victims", victims("2026-03-02 04:11:09"), cause("2026-03-02 05:01:09")],
    ["victims of another moment", victims("2026-03-02 04:11:09"), victims("2026-03-02 05:11:09")],
    ["a failure with victims of its own", cause("2026-03-02 04:01:09"), cause("2026-03-02 04:01:12", { cascade })],
    ["a failure of another hour", cause("2026-03-02 04:01:09"), cause("2026-03-02 05:01:09")],
    ["another failure, without times", cause(null), cause(null, { label: "checkpoint-mismatch" })],
    ["a loss without a time, after victims", victims("2026-03-02 04:11:09"), cause(null, { label: "loss-spike" })],
    ["victims without a time, where the story is whole", cause(null, { cascade }), victims(null)],
    ["nothing that a machine wrote", cause(null), { label: "oom", root: null, facts: facts({}) }],
  ])("is its own: %s", (_what, first, next) => {
    expect(belongs(first, next)).toBe(false);
  });
});
