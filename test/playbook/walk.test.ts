import { describe, expect, it } from "vitest";
import { checkFolder, openFolder } from "../../src/playbook/check.ts";
import { toMermaid } from "../../src/playbook/graph.ts";
import { compile, follow, openingStep, parseHands, settledBy } from "../../src/playbook/walk.ts";
import { EXAMPLE, folderOf } from "./example.ts";

const { playbook: draft } = checkFolder(openFolder(folderOf({ ...EXAMPLE })), {
  elsewhere: () => new Set(["where"]),
  exponential: () => undefined,
});
if (!draft) throw new Error("the example is broken");
const playbook = { ...draft, hash: "sha256:0" };
const machine = compile(playbook);

describe("the machine of a playbook", () => {
  it("has one state per step, and states and events only", () => {
    expect(Object.keys(machine.states)).toEqual(Object.keys(playbook.steps));
    for (const state of Object.values(machine.states)) {
      expect([state.entry, state.exit, state.invoke, state.after].flat()).toEqual([]);
      for (const transition of [...state.transitions.values()].flat()) {
        expect({ guard: transition.guard, actions: transition.actions }).toEqual({ guard: undefined, actions: [] });
      }
    }
  });

  it("follows a choice, and no choice that is not there", () => {
    expect(follow(machine, "seen-before", "comes-back")).toBe("which-rank");
    expect(follow(machine, "seen-before", "replaced")).toBeUndefined();
    expect(follow(machine, "fixed", "replaced")).toBeUndefined();
    expect(follow(machine, "no-such-step", "replaced")).toBeUndefined();
    expect(follow(machine, "constructor", "toString")).toBeUndefined();
    expect(follow(machine, "seen-before", "*")).toBeUndefined();
    expect(follow(machine, "seen-before", "")).toBeUndefined();
  });

  it("ends at ends and at handoffs", () => {
    const final = Object.values(machine.states).filter((state) => state.type === "final");
    expect(final.map((state) => state.key)).toEqual(["hand-on", "fixed", "handed-over"]);
  });
});

it("opens where the subcause says, else at the start", () => {
  expect(openingStep(playbook, "link-degraded")).toBe("which-rank");
  expect(openingStep(playbook, "something-else")).toBe("seen-before");
  expect(openingStep(playbook, "constructor")).toBe("seen-before");
  expect(openingStep(playbook, null)).toBe("seen-before");
});

it("settles a step by the first choice whose condition holds, and by none where facts are missing", () => {
  const step = playbook.steps["which-rank"];
  if (!step) throw new Error("the example has changed");
  expect(settledBy(step, { rank: 7 })).toBe("one");
  expect(settledBy(step, {})).toBeUndefined();
});

it("reads a handoff with and without a step", () => {
  expect(parseHands("oom#where")).toEqual({ playbook: "oom", step: "where" });
  expect(parseHands("oom")).toEqual({ playbook: "oom", step: null });
});

it("is drawn as Mermaid", () => {
  expect(toMermaid(playbook, "en")).toMatchInlineSnapshot(`
    "stateDiagram-v2
      state "seen-before (symptom): Has it come before?" as seen_before
      state "which-rank (locate)" as which_rank
      state "replace (fix)" as replace
      state "holds (verify)" as holds
      state "hand-on (to oom#35;where)" as hand_on
      state "fixed (ends fixed)" as fixed
      state "handed-over (ends handed-over)" as handed_over
      [*] --> seen_before
      [*] --> which_rank: link-degraded
      seen_before --> which_rank: comes-back
      seen_before --> which_rank: first-time
      which_rank --> replace: one
      which_rank --> hand_on: many
      replace --> holds: replaced
      replace --> handed_over: cannot
      holds --> fixed: yes
      holds --> which_rank: came-back
      hand_on --> [*]
      fixed --> [*]
      handed_over --> [*]
    "
  `);
});
