// What people can do with a case, and what comes of it when several do it at once.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Cases, type Changed, createCases } from "../../src/case/case.ts";
import { createMemoryStore } from "../../src/case/memory.ts";
import type { CaseStore } from "../../src/case/store.ts";
import type { Playbook } from "../../src/playbook/schema.ts";
import { ask, end, facts, is, playbook } from "./playbooks.ts";
import { given } from "./verdict.ts";

const OOM = playbook("oom", {
  steps: {
    where: ask("symptom", { gpu: ["grew", is("memory_kind", "gpu")], host: ["grew", is("memory_kind", "host")] }),
    grew: ask("locate", { leak: "restart", flat: "restart", other: "handed" }),
    restart: ask("fix", { done: "holds" }),
    holds: ask("verify", { yes: "fixed", again: "grew" }),
    handed: { hands: "nccl-timeout" },
    fixed: end("fixed"),
  },
});
const NCCL = playbook("nccl-timeout", { steps: { seen: ask("symptom", { once: "done" }), done: end("unknown") } });
const UNREACHED = playbook("loss-spike", { steps: { a: ask("symptom", { b: "c" }), c: end("unknown") } });

const wei = { id: "U1", name: "wei" };
const ana = { id: "U2", name: "ana" };
const place = { enterprise: "E", team: "T", channel: "C", thread: "1.2" };

function setUp(store: CaseStore = createMemoryStore(), playbooks: Playbook[] = [OOM, NCCL, UNREACHED]) {
  let ids = 0;
  let seconds = 0;
  const cases = createCases({
    store,
    playbooks: new Map(playbooks.map((one) => [one.id, one])),
    rules: "rules-1",
    now: () => new Date(Date.UTC(2026, 10, 30, 9, 0, seconds++)),
    newId: () => `case-${++ids}`,
    hash: (text) => createHash("sha256").update(text).digest("hex"),
  });
  return { cases, store, id: { team: "T", id: "case-1" } };
}

async function opened(store?: CaseStore) {
  const all = setUp(store);
  await all.cases.open({ place, given: given(), language: "en", by: wei });
  return all;
}

const kinds = (all: Changed[]): string[] => all.map((one) => one.kind).sort();
const kind = async (changed: Promise<Changed>): Promise<string> => (await changed).kind;
const stepOf = async (cases: Cases): Promise<string | undefined> =>
  (await cases.view({ team: "T", id: "case-1" }))?.step?.id;

describe("opening", () => {
  it("opens a case that stands where the facts lead, with its first entry", async () => {
    const { cases } = setUp();

    const result = await cases.open({ place, given: given(), language: "zh", by: wei });

    expect(result).toMatchObject({ kind: "opened", case: { id: "case-1", language: "zh", closedAt: null } });
    expect(result.kind === "opened" && result.case.entries).toHaveLength(1);
    expect(await stepOf(cases)).toBe("oom#grew");
  });

  it("keeps one case for a place, whoever asks again", async () => {
    const { cases } = await opened();

    const again = await cases.open({ place, given: given({ label: "loss-spike" }), language: "en", by: ana });

    expect(again).toMatchObject({ kind: "already", case: { id: "case-1" } });
  });

  it("opens nothing for a text without a sign of a failure", async () => {
    const nothing = given({ label: "none", playbook: null, root: null, facts: {} });

    expect(await setUp().cases.open({ place, given: nothing, language: "en", by: wei })).toEqual({ kind: "nothing" });
  });

  it("keeps the playbooks the case can come to, and no others", async () => {
    const { store } = await opened();

    expect((await store.load("T", "case-1"))?.playbooks.map((one) => one.id)).toEqual(["oom", "nccl-timeout"]);
    expect(await store.playbook("hash-of-nccl-timeout")).toBeDefined();
    expect(await store.playbook("hash-of-loss-spike")).toBeUndefined();
  });

  it("goes on with the playbook it opened with after that one has changed", async () => {
    const { store } = await opened();
    const changed = { ...playbook("oom", { steps: { other: end("unknown") } }), hash: "another-hash" };

    const { cases, id } = setUp(store, [changed]);

    expect(await cases.answer(id, { step: "oom#grew", choice: "leak" }, wei)).toMatchObject({ step: "oom#restart" });
  });

  it("stores quotes apart from entries, and no raw text", async () => {
    const { store } = await opened();

    const stored = JSON.stringify(await store.load("T", "case-1"));

    expect(stored).not.toContain("out of memory");
    expect(stored).not.toContain("the text");
  });

  it("gives the same receipt for the same input and rules", async () => {
    const one = await (await opened()).store.load("T", "case-1");
    const two = await (await opened()).store.load("T", "case-1");

    expect(one?.receipt).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(two?.receipt).toBe(one?.receipt);
  });
});

describe("answering", () => {
  it("moves the case, and the record says who did it", async () => {
    const { cases, id, store } = await opened();

    expect(await cases.answer(id, { step: "oom#grew", choice: "leak" }, ana)).toMatchObject({
      kind: "moved",
      step: "oom#restart",
      outcome: null,
    });
    expect((await store.load("T", "case-1"))?.entries[1]).toMatchObject({ kind: "answer", choice: "leak", by: ana });
  });

  it("calls a double click stale", async () => {
    const { cases, id } = await opened();
    const click = { step: "oom#grew", choice: "leak" };

    expect(kinds([await cases.answer(id, click, wei), await cases.answer(id, click, wei)])).toEqual(["moved", "stale"]);
  });

  it("tells who was faster", async () => {
    const { cases, id } = await opened();
    await cases.answer(id, { step: "oom#grew", choice: "leak" }, ana);

    expect(await cases.answer(id, { step: "oom#grew", choice: "flat" }, wei)).toMatchObject({
      kind: "taken",
      by: ana,
      choice: "leak",
    });
  });

  it("lets exactly one of two people through who click at once", async () => {
    const { cases, id } = await opened();

    const both = await Promise.all([
      cases.answer(id, { step: "oom#grew", choice: "leak" }, wei),
      cases.answer(id, { step: "oom#grew", choice: "flat" }, ana),
    ]);

    expect(kinds(both)).toEqual(["moved", "taken"]);
  });

  it("refuses a choice the step does not have", async () => {
    const { cases, id } = await opened();

    expect(await kind(cases.answer(id, { step: "oom#grew", choice: "__proto__" }, wei))).toBe("stale");
  });

  it("says so where there is no such case, or it is another team's", async () => {
    const { cases, id } = await opened();

    expect(await kind(cases.answer({ team: "T", id: "case-9" }, { step: "oom#grew", choice: "leak" }, wei))).toBe(
      "gone",
    );
    expect(await kind(cases.answer({ ...id, team: "other" }, { step: "oom#grew", choice: "leak" }, wei))).toBe("gone");
  });

  it("closes the case at an end, and `back` opens it again", async () => {
    const { cases, id, store } = await opened();
    await cases.answer(id, { step: "oom#grew", choice: "leak" }, wei);
    await cases.answer(id, { step: "oom#restart", choice: "done" }, wei);

    const end = await cases.answer(id, { step: "oom#holds", choice: "yes" }, wei);

    expect(end).toMatchObject({ kind: "moved", outcome: "fixed" });
    expect((await store.load("T", "case-1"))?.closedAt).toBe("2026-11-30T09:00:03.000Z");
    expect(await cases.back(id, null, wei)).toMatchObject({ kind: "moved", outcome: null, step: "oom#holds" });
    expect((await store.load("T", "case-1"))?.closedAt).toBeNull();
  });
});

describe("pasting", () => {
  it("narrows with what a further paste gives, and offers to reopen what it contradicts", async () => {
    const { cases, id } = await opened();

    await cases.paste(id, given({ facts: facts({ memory_kind: ["host", 3] }) }), wei);

    const view = await cases.view(id);
    expect(view?.step?.choices.map((choice) => choice.id)).toContain("reopen:oom#where");
    expect(view?.problems).toHaveLength(1);
  });

  it("reads the same message once", async () => {
    const { cases, id } = await opened();
    const message = { message: "17.1" };

    expect(await kind(cases.paste(id, given({ label: "oom" }, message), wei))).toBe("moved");
    expect(await kind(cases.paste(id, given({ label: "oom" }, message), wei))).toBe("stale");
    expect(await kind(cases.paste(id, given({ label: "other" }, message), wei))).toBe("moved");
  });
});

describe("back", () => {
  it("goes back once for a double click", async () => {
    const { cases, id } = await opened();
    await cases.answer(id, { step: "oom#grew", choice: "leak" }, wei);
    await cases.answer(id, { step: "oom#restart", choice: "done" }, wei);
    const seen = (await cases.view(id))?.seq ?? -1;

    expect(kinds([await cases.back(id, seen, wei), await cases.back(id, seen, wei)])).toEqual(["moved", "stale"]);
    expect(await stepOf(cases)).toBe("oom#restart");
  });
});

describe("ending by hand", () => {
  it("closes with an outcome, and answers late clicks kindly", async () => {
    const { cases, id } = await opened();

    expect(await cases.close(id, "not-a-fault", ana)).toMatchObject({ kind: "moved", outcome: "not-a-fault" });
    expect(await cases.answer(id, { step: "oom#grew", choice: "leak" }, wei)).toMatchObject({
      kind: "ended",
      outcome: "not-a-fault",
    });
    expect(await cases.view(id)).toMatchObject({ step: null, ended: { outcome: "not-a-fault" } });
  });

  it("escalates with the text for the other team", async () => {
    const { cases, id } = await opened();

    const escalated = await cases.escalate(id, wei);

    expect(escalated).toMatchObject({ kind: "moved", outcome: "handed-over" });
    expect(escalated.text).toContain("Rank 37 (node-014) ran out of GPU memory.");
    expect(escalated.text).toContain("line 7: CUDA out of memory");
  });

  it("hands an open case to another person and goes on", async () => {
    const { cases, id } = await opened();

    await cases.handOver(id, ana, wei);

    expect((await cases.view(id))?.owner).toBe("ana");
    expect(await kind(cases.answer(id, { step: "oom#grew", choice: "leak" }, ana))).toBe("moved");
  });
});

describe("notes", () => {
  it("keeps no secret", async () => {
    const { cases, id, store } = await opened();

    await cases.note(id, "try token=ghp_abcdefghijklmnopqrstuvwxyz0123456789", wei);

    expect(JSON.stringify(await store.load("T", "case-1"))).not.toContain("ghp_abcdefghijkl");
  });

  it("gets through while others click", async () => {
    const { cases, id, store } = await opened();

    const all = await Promise.all([
      cases.answer(id, { step: "oom#grew", choice: "leak" }, wei),
      ...Array.from({ length: 8 }, (_, n) => cases.note(id, `note ${n}`, ana)),
    ]);

    expect(kinds(all)).toEqual(Array(9).fill("moved"));
    expect((await store.load("T", "case-1"))?.entries.map((entry) => entry.seq)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
  });
});
