// What every database must do, run unchanged on each. A database's own test file is a few lines.
import { expect, it } from "vitest";
import type { Candidate, CandidateStore } from "../../src/case/candidates.ts";
import type { ChannelStore } from "../../src/case/channels.ts";
import type { AnswerEntry, PasteEntry } from "../../src/case/entry.ts";
import type { MessageStore } from "../../src/case/messages.ts";
import type { CaseRecord, CaseStore } from "../../src/case/store.ts";
import type { Quote } from "../../src/diagnose/verdict-type.ts";
import type { Playbook } from "../../src/playbook/schema.ts";
import type { Inbox } from "../../src/store/inbox.ts";
import type { Retention } from "../../src/store/retention.ts";

export interface Opened {
  cases: CaseStore;
  inbox: Inbox;
  messages: MessageStore;
  candidates: CandidateStore;
  channels: ChannelStore;
  retention: Retention;
  close(): Promise<void>;
}

const wei = { id: "U1", name: "wei" };
const at = "2026-03-02T04:11:09.000Z";

function paste(message: string | null = "100.1"): PasteEntry {
  return {
    kind: "paste",
    seq: 0,
    by: wei,
    at,
    sources: [{ name: "paste", lines: 3, bytes: 90, hash: "sha256:a" }],
    facts: { rank: { value: 37, lines: [{ source: 0, line: 2 }] } },
    lines: [{ source: 0, line: 2 }],
    quotes: "sha256:q",
    verdict: null,
    readings: [],
    message,
  };
}

function fresh(over: Partial<CaseRecord> = {}): CaseRecord {
  return {
    id: "c1",
    place: { enterprise: "", team: "T1", channel: "C1", thread: "100.1" },
    playbooks: [{ id: "oom", hash: "sha256:p" }],
    language: "en",
    receipt: "sha256:r",
    entries: [paste()],
    openedAt: at,
    closedAt: null,
    fault: null,
    ...over,
  };
}

function answer(seq: number, choice: string): AnswerEntry {
  return { kind: "answer", seq, by: wei, at: "2026-03-02T04:20:00.000Z", step: "oom#where", choice };
}

function quote(text: string): Quote {
  return { at: { source: 0, line: 2 }, quote: text, rank: 37, host: null, time: null, role: "root", count: 1 };
}

export function obeysTheStoreContract(open: () => Promise<Opened>): void {
  it("gives a case back as it was opened", async () => {
    const { cases, close } = await open();

    await cases.open(fresh());

    expect(await cases.load("T1", "c1")).toEqual(fresh());
    expect(await cases.at(fresh().place)).toEqual(fresh());
    await close();
  });

  it("finds the newest case that read a message of a channel, between two moments, by one person", async () => {
    const { cases, close } = await open();
    const place = { enterprise: "", team: "T1", channel: "C1", thread: "200.5" };
    await cases.open(fresh());
    await cases.open(fresh({ id: "c2", place, entries: [paste("200.5")], openedAt: "2026-03-02T05:00:00.000Z" }));
    await cases.append("T1", "c1", { ...paste("200.6"), seq: 1, by: { id: "U2" } }, null);
    const found = async (from: string, to: string, more = {}): Promise<string | undefined> =>
      (await cases.thatRead({ team: "T1", channel: "C1", from, to, ...more }))?.id;

    expect(await found("100.1", "100.1")).toBe("c1");
    expect(await found("100.0", "200.9")).toBe("c2");
    expect(await found("200.6", "200.9", { by: "U2" })).toBe("c1");
    expect(await found("200.6", "200.9", { by: "U1" })).toBeUndefined();
    expect(await found("100.1", "200.9", { channel: "C2" })).toBeUndefined();
    expect(await found("100.1", "200.9", { team: "T2" })).toBeUndefined();
    expect((await cases.thatRead({ team: "T1", channel: "C1", from: "200.6", to: "200.6" }))?.entries).toHaveLength(2);
    await close();
  });

  it("opens one case per place, however many try at once", async () => {
    const { cases, close } = await open();

    const tries = await Promise.all(["c1", "c2", "c3"].map((id) => cases.open(fresh({ id }))));

    expect(tries.filter((tried) => tried.opened)).toHaveLength(1);
    expect(new Set(tries.map((tried) => tried.found.id)).size).toBe(1);
    await close();
  });

  it("keeps one team's cases from another's, even under the same id and place", async () => {
    const { cases, close } = await open();
    const other = fresh({ place: { ...fresh().place, team: "T2" }, receipt: "sha256:other" });

    await cases.open(fresh());
    await cases.open(other);

    expect((await cases.load("T2", "c1"))?.receipt).toBe("sha256:other");
    expect(await cases.load("T3", "c1")).toBeUndefined();
    await close();
  });

  it("lets exactly one of two racing clicks through", async () => {
    const { cases, close } = await open();
    await cases.open(fresh());

    const taken = await Promise.all([
      cases.append("T1", "c1", answer(1, "yes"), null),
      cases.append("T1", "c1", answer(1, "no"), null),
    ]);

    expect(taken.filter(Boolean)).toHaveLength(1);
    expect((await cases.load("T1", "c1"))?.entries).toHaveLength(2);
    await close();
  });

  it("gives entries back in their order", async () => {
    const { cases, close } = await open();
    await cases.open(fresh());

    for (let seq = 1; seq <= 11; seq++) await cases.append("T1", "c1", answer(seq, `choice-${seq}`), null);

    const found = await cases.load("T1", "c1");
    expect(found?.entries.map((entry) => entry.seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await close();
  });

  it("closes a case and opens it again, as the entry that did it says", async () => {
    const { cases, close } = await open();
    await cases.open(fresh());

    await cases.append("T1", "c1", answer(1, "holds"), at);
    expect((await cases.load("T1", "c1"))?.closedAt).toBe(at);
    await cases.append("T1", "c1", answer(2, "reopen:oom#where"), null);
    expect((await cases.load("T1", "c1"))?.closedAt).toBeNull();
    await close();
  });

  it("appends nothing to a case that is not there", async () => {
    const { cases, close } = await open();

    expect(await cases.append("T1", "nobody", answer(1, "yes"), null)).toBe(false);
    await close();
  });

  it("keeps a playbook's body under its hash, once", async () => {
    const { cases, close } = await open();
    const body = { id: "oom", hash: "sha256:p", version: 3 } as unknown as Playbook;

    await cases.keepPlaybook(body);
    await cases.keepPlaybook({ ...body, version: 4 } as Playbook);

    expect(await cases.playbook("sha256:p")).toEqual(body);
    expect(await cases.playbook("sha256:unknown")).toBeUndefined();
    await close();
  });

  it.each([
    ["unicode of every width", "显存不足 😀 ñ é \u{10FFFF}"],
    ["half a million characters", "x显".repeat(250_000)],
    ["what looks like SQL", `'; drop table cases; -- " \\ $1 ?`],
  ])("gives quotes back as they were: %s", async (_what, text) => {
    const { cases, close } = await open();
    await cases.open(fresh());

    await cases.keepQuotes("T1", "c1", "sha256:q", [quote(text)]);

    expect(await cases.quotes("T1", "c1", "sha256:q")).toEqual([quote(text)]);
    expect(await cases.quotes("T2", "c1", "sha256:q")).toEqual([]);
    await close();
  });

  it("writes a NUL as its picture, and loses nothing after it", async () => {
    const { cases, close } = await open();

    await cases.open(fresh({ receipt: "before\0after" }));

    expect((await cases.load("T1", "c1"))?.receipt).toBe("before\u2400after");
    await close();
  });

  it("knows a delivery by its id, however often it comes", async () => {
    const { inbox, close } = await open();
    const delivery = { team: "T1", id: "Ev1" };

    const received = await Promise.all([1, 2, 3].map(() => inbox.receive(delivery, "{}", at)));

    expect(received.filter(Boolean)).toHaveLength(1);
    expect(await inbox.receive({ team: "T2", id: "Ev1" }, "{}", at)).toBe(true);
    await close();
  });

  it("hands a delivery out until it is done, and counts the attempts", async () => {
    const { inbox, close } = await open();
    const delivery = { team: "T1", id: "Ev1" };
    await inbox.receive(delivery, '{"a":1}', at);

    expect(await inbox.take(delivery, at)).toEqual({ body: '{"a":1}', attempt: 1, receivedAt: at });
    expect(await inbox.leftovers()).toEqual([{ ...delivery, body: '{"a":1}' }]);
    expect(await inbox.take(delivery, at)).toMatchObject({ attempt: 2 });
    await inbox.done(delivery, at);
    expect(await inbox.take(delivery, at)).toBeUndefined();
    expect(await inbox.leftovers()).toEqual([]);
    expect(await inbox.receive(delivery, "{}", at)).toBe(false);
    expect(await inbox.counts()).toEqual({ received: 0, working: 0, done: 1, failed: 0 });
    await close();
  });

  it("keeps what failed for its time, and forgets what is done sooner", async () => {
    const { inbox, close } = await open();
    await inbox.receive({ team: "T1", id: "done" }, "{}", "2026-03-02T00:00:00.000Z");
    await inbox.receive({ team: "T1", id: "failed" }, "{}", "2026-03-02T00:00:00.000Z");
    await inbox.done({ team: "T1", id: "done" }, "2026-03-02T00:00:00.000Z");
    await inbox.failed({ team: "T1", id: "failed" }, "ff-1", "2026-03-02T00:00:00.000Z");

    await inbox.purge({ done: "2026-03-03T00:00:00.000Z", failed: "2026-02-25T00:00:00.000Z" });
    expect(await inbox.counts()).toMatchObject({ done: 0, failed: 1 });
    await inbox.purge({ done: "2026-03-10T00:00:00.000Z", failed: "2026-03-09T00:00:00.000Z" });
    expect(await inbox.counts()).toMatchObject({ failed: 0 });
    await close();
  });

  it("lets one of two claim a message, and remembers where it stands", async () => {
    const { messages, close } = await open();
    const key = { team: "T1", about: "c1", seq: 0 };
    const place = { channel: "C1", thread: "100.1" };

    const claims = await Promise.all([messages.claim(key, place, at), messages.claim(key, place, at)]);
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await messages.find(key)).toEqual({ ...place, seq: 0, ts: null, shownSeq: 0, shownHash: null });

    await messages.shown(key, { ts: "100.2", seq: 3, hash: "h" }, at);
    expect(await messages.find(key)).toEqual({ ...place, seq: 0, ts: "100.2", shownSeq: 3, shownHash: "h" });
    expect(await messages.find({ ...key, team: "T2" })).toBeUndefined();

    await messages.claim({ ...key, seq: 3 }, place, at);
    expect(await messages.newest(key)).toMatchObject({ seq: 3, ts: null });
    await close();
  });

  it("knows which messages are behind what they are to show, until they show it or are given up", async () => {
    const { messages, close } = await open();
    const place = { channel: "C1", thread: "100.1" };
    const key = (about: string) => ({ team: "T1", about, seq: 0 });
    for (const about of ["c1", "c2", "c3"]) {
      await messages.claim(key(about), place, at);
      await messages.shown(key(about), { ts: "100.2", seq: 1, hash: "h" }, at);
      await messages.wanted(key(about), 4, at);
    }
    await messages.claim(key("c4"), place, at);

    await messages.wanted(key("c1"), 2, at);
    await messages.shown(key("c2"), { ts: "100.2", seq: 4, hash: "i" }, at);
    await messages.failed(key("c3"), { why: "is_archived", reference: "ff-1" }, at);

    expect(await messages.behind()).toEqual([{ team: "T1", about: "c1" }]);
    expect(await messages.depth()).toBe(2);
    await close();
  });

  it("lets a deleted message take its quotes along, and no others", async () => {
    const { cases, retention, close } = await open();
    await cases.open(fresh());
    await cases.keepQuotes("T1", "c1", "sha256:q", [quote("CUDA out of memory")]);

    await retention.forgetMessage({ team: "T2", channel: "C1", ts: "100.1" });
    await retention.forgetMessage({ team: "T1", channel: "C2", ts: "100.1" });
    expect(await cases.quotes("T1", "c1", "sha256:q")).toHaveLength(1);

    await retention.forgetMessage({ team: "T1", channel: "C1", ts: "100.1" });
    expect(await cases.quotes("T1", "c1", "sha256:q")).toEqual([]);
    expect((await cases.load("T1", "c1"))?.entries).toHaveLength(1);
    await close();
  });

  it("finds the newest open case of a fault in its channel, and no closed, old or other one", async () => {
    const { cases, close } = await open();
    const one = (id: string, over: Partial<CaseRecord> = {}): CaseRecord =>
      fresh({ id, fault: "f", place: { ...fresh().place, thread: id }, ...over });
    const wanted = { team: "T1", channel: "C1", fault: "f", since: "2026-03-01T00:00:00.000Z" };
    await cases.open(one("c1"));
    await cases.open(one("c2", { openedAt: "2026-03-02T05:00:00.000Z" }));
    await cases.open(one("c3", { openedAt: "2026-03-02T06:00:00.000Z", closedAt: at }));
    await cases.open(one("c4", { openedAt: "2026-03-02T07:00:00.000Z", fault: "g" }));

    expect((await cases.openWith(wanted))?.id).toBe("c2");
    expect(await cases.openWith({ ...wanted, since: "2026-03-03T00:00:00.000Z" })).toBeUndefined();
    expect(await cases.openWith({ ...wanted, team: "T2" })).toBeUndefined();
    expect(await cases.openWith({ ...wanted, channel: "C2" })).toBeUndefined();
    await close();
  });

  it("keeps one say of one person about a case, until its message goes or it is old", async () => {
    const { candidates, retention, close } = await open();
    const candidate = (over: Partial<Candidate>): Candidate => ({
      ...{ team: "T1", case: "c1", by: wei, at, channel: "C1", message: "100.1", text: "a line", rootLine: 1 },
      ...{ was: { label: "oom", status: "confirmed", confidence: 0.9 }, label: "other", words: "" },
      ...over,
    });
    await candidates.keep(candidate({ label: "none" }));
    await candidates.keep(candidate({ words: "a leftover process" }));
    await candidates.keep(candidate({ case: "c2", message: "100.2" }));
    expect(await candidates.all()).toEqual([
      candidate({ words: "a leftover process" }),
      candidate({ case: "c2", message: "100.2" }),
    ]);

    await retention.forgetMessage({ team: "T1", channel: "C1", ts: "100.1" });
    expect((await candidates.all()).map((one) => one.case)).toEqual(["c2"]);

    await retention.expire("2026-03-03T00:00:00.000Z");
    expect(await candidates.all()).toEqual([]);
    await close();
  });

  it("keeps how a channel is set, for its team alone, and that it is shared whatever is set", async () => {
    const { channels, close } = await open();
    const place = { team: "T1", channel: "C1" };
    const by = { actor: "U1", at };

    await channels.set(place, { mode: "mention", language: "zh", byAdmin: false }, by);
    expect(await channels.of(place)).toEqual({ mode: "mention", language: "zh", byAdmin: false, shared: false });
    expect(await channels.of({ ...place, team: "T2" })).toBeUndefined();

    await channels.markShared(place, at);
    await channels.set(place, { mode: "off", language: null, byAdmin: true }, by);
    expect(await channels.of(place)).toEqual({ mode: "off", language: null, byAdmin: true, shared: true });
    await close();
  });

  it("deletes a case that nobody touched for long, and keeps one that was", async () => {
    const { cases, messages, retention, close } = await open();
    const script = (id: string) => ({ team: "T1", about: `script:${id}:tokens-per-expert.py`, seq: 0 });
    for (const id of ["c1", "c2"]) await messages.claim(script(id), { channel: "C1", thread: "100.1" }, at);
    await cases.open(fresh());
    await cases.keepQuotes("T1", "c1", "sha256:q", [quote("CUDA out of memory")]);
    await cases.open(fresh({ id: "c2", place: { ...fresh().place, thread: "200.1" } }));
    await cases.append("T1", "c2", answer(1, "yes"), null);

    expect(await retention.expire("2026-03-02T04:15:00.000Z")).toBe(1);

    expect(await cases.load("T1", "c1")).toBeUndefined();
    expect(await cases.quotes("T1", "c1", "sha256:q")).toEqual([]);
    expect((await cases.load("T1", "c2"))?.entries).toHaveLength(2);
    expect([await messages.find(script("c1")), (await messages.find(script("c2")))?.seq]).toEqual([undefined, 0]);
    await close();
  });
}
