// A running case keeps its playbooks; newer ones are offered, with what they change from where it stands.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { createCases } from "../../src/case/case.ts";
import { createMemoryStore } from "../../src/case/memory.ts";
import type { CaseStore } from "../../src/case/store.ts";
import type { Playbook } from "../../src/playbook/schema.ts";
import { ask, end, playbook } from "./playbooks.ts";
import { given } from "./verdict.ts";

const STEPS = {
  where: ask("symptom", { here: "grew", there: "grew" }),
  grew: ask("locate", { leak: "restart", flat: "restart" }),
  restart: ask("fix", { done: "holds" }),
  holds: ask("verify", { yes: "fixed", again: "grew" }),
  fixed: end("fixed"),
};
const OLD = playbook("oom", { steps: STEPS });
const newer = (steps: Playbook["steps"], version = 2): Playbook => ({
  ...playbook("oom", { steps }),
  version,
  hash: `hash-of-oom-${version}-${Object.keys(steps).join()}`,
});

const wei = { id: "U1", name: "wei" };
const place = { enterprise: "E", team: "T", channel: "C", thread: "1.2" };
const id = { team: "T", id: "case-1" };

function casesWith(store: CaseStore, body: Playbook) {
  return createCases({
    store,
    playbooks: new Map([[body.id, body]]),
    rules: "rules-1",
    now: () => new Date(Date.UTC(2026, 10, 30, 9)),
    newId: () => "case-1",
    hash: (text) => createHash("sha256").update(text).digest("hex"),
  });
}

/** A case at "grew", opened with the old playbook; then the service starts again with another one. */
async function after(body: Playbook) {
  const store = createMemoryStore();
  const cases = casesWith(store, OLD);
  await cases.open({ place, given: given(), language: "en", by: wei });
  await cases.answer(id, { step: "oom#where", choice: "here" }, wei);
  return casesWith(store, body);
}

it("says what a newer version changes from here, and offers to go on with it", async () => {
  const cases = await after(
    newer({
      ...STEPS,
      where: ask("symptom", { here: "grew" }),
      restart: ask("fix", { done: "holds", no: "drain" }),
      drain: ask("fix", { done: "holds" }),
    }),
  );

  const view = await cases.view(id);

  expect(view?.step?.id).toBe("oom#grew");
  expect(view?.problems).toEqual([
    'This case runs version 1 of its playbook; version 2 is out. From here it changes "restart?", adds "drain?".',
  ]);
  expect(view?.step?.choices.at(-1)).toEqual({ id: "adopt:newer", label: "Go on with version 2" });
  expect((await cases.view(id, "zh"))?.problems[0]).toBe(
    "这个案例用的是 playbook 第 1 版，现在有第 2 版。从这里往后，新版改动了“restart?”，新增了“drain?”。",
  );
});

it("goes on with it once somebody takes it, and offers nothing more", async () => {
  const cases = await after(
    newer({ ...STEPS, grew: ask("locate", { leak: "restart", flat: "restart", odd: "fixed" }) }),
  );

  const taken = await cases.answer(id, { step: "oom#grew", choice: "adopt:newer" }, wei);
  const view = await cases.view(id);

  expect(taken).toMatchObject({ kind: "moved", step: "oom#grew" });
  expect(view?.step?.choices.map((choice) => choice.id)).toEqual(["leak", "flat", "odd"]);
  expect(view?.problems).toEqual([]);
  expect((await cases.answer(id, { step: "oom#grew", choice: "adopt:newer" }, wei)).kind).toBe("stale");
});

it("says where the case would stand, where an answer no longer fits", async () => {
  const cases = await after(newer({ ...STEPS, where: ask("symptom", { there: "grew" }) }));
  expect((await cases.view(id))?.problems[0]).toContain('and the case would stand at "where?"');
});

it.each([
  ["the same version with another text", newer(STEPS, 1)],
  ["another playbook's newer version", { ...newer(STEPS), id: "loss-spike" }],
])("offers nothing for %s", async (_, body) => {
  const cases = await after(body);
  const view = await cases.view(id);
  expect([view?.problems, view?.step?.choices.length]).toEqual([[], 2]);
});

it("runs on with its own where nobody takes it", async () => {
  const cases = await after(newer({ where: ask("symptom", { other: "fixed" }), fixed: end("fixed") }));
  expect(await cases.answer(id, { step: "oom#grew", choice: "leak" }, wei)).toMatchObject({
    kind: "moved",
    step: "oom#restart",
  });
});
