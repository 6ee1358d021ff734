// Slack limits, stalls, shuts the door: nothing is lost, nothing is doubled, and nobody waits for another's trouble.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { textOf } from "../../src/demo/fake/slack.ts";
import { createInboxReceiver } from "../../src/slack/inbox-receiver.ts";
import { openDatabase } from "../../src/store/database.ts";
import { createInbox } from "../../src/store/inbox.ts";
import { CASCADE, fenced, OTHER } from "./logs.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

let at: Workplace;
beforeEach(async () => {
  at = await openWorkplace();
});
afterEach(async () => {
  expect(at.slack.refusals).toEqual([]);
  await at.close();
});

async function opened(channel = "C1"): Promise<string> {
  const ts = await at.slack.say(fenced(CASCADE), { channel });
  await at.settled();
  return ts;
}

/** More of the log, in the case's thread. */
async function more(thread: string, n: number): Promise<void> {
  const line = `2026-03-02 04:1${n}:09,120 [rank37]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${n}.50 GiB.`;
  await at.slack.say(fenced(line), { thread });
}

async function until(what: () => boolean): Promise<void> {
  for (let waited = 0; !what(); waited += 5) {
    if (waited > 20_000) throw new Error(`waited in vain for ${what}`);
    await sleep(5);
  }
}

const seqShown = (channel = "C1"): unknown => at.slack.posted(channel)[0]?.metadata?.event_payload.seq;
const caseShown = (): string => String(at.slack.posted("C1")[0]?.metadata?.event_payload.case);
const updates = (): number => at.slack.calls.filter(({ method }) => method === "chat.update").length;

describe("where Slack says to wait", () => {
  it("with an edit, everything but edits goes on, and the edit comes when it may", async () => {
    const thread = await opened();
    at.slack.next("chat.update", { limited: 50 });
    await more(thread, 1);
    await until(() => at.happened.some(({ kind }) => kind === "rate-limited"));

    await at.slack.say(fenced(CASCADE), { channel: "C2" });
    await at.slack.say("@firstfault hello");
    await at.slack.click(at.slack.posted()[0], { action_id: `show-lines:${caseShown()}` }, { user: "U4" });
    await more(thread, 2);
    await until(() => at.slack.posted().length === 3 && at.slack.whispers("U4").length === 1);
    expect(seqShown()).toBe(0);

    await at.settled();
    expect(seqShown()).toBe(2);
    expect(updates()).toBe(2);
    expect(at.slack.impatient).toEqual([]);
  });

  it("with posting in one channel, the other channels go on, and each log there is answered once", async () => {
    at.slack.next("chat.postMessage", { limited: 50 });
    const asked = [await at.slack.say(fenced(CASCADE))];
    await until(() => at.happened.some(({ kind }) => kind === "rate-limited"));
    asked.push(await at.slack.say(fenced(OTHER), { user: "U2" }));
    asked.push(await at.slack.say("@firstfault hi", { user: "U3" }));

    await at.slack.say(fenced(CASCADE), { channel: "C2" });
    await until(() => at.slack.posted("C2").length === 1);

    await at.settled();
    expect(
      at.slack
        .posted("C1")
        .map(({ thread_ts }) => thread_ts)
        .sort(),
    ).toEqual(asked);
    expect(at.slack.impatient).toEqual([]);
  });

  it("again and again, it waits again and again", async () => {
    at.slack.next("chat.postMessage", ...Array.from({ length: 7 }, () => ({ limited: 2 })));

    await opened();

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.impatient).toEqual([]);
  });
});

describe("an edit", () => {
  it("leaves at most once in two seconds; the last state wins", async () => {
    await at.close();
    at = await openWorkplace({ editPauseMs: 25_000 });
    const thread = await opened();

    for (const n of [1, 2, 3, 4]) await more(thread, n);
    await at.settled();

    expect(updates()).toBe(2);
    expect(seqShown()).toBe(4);
  });

  it("that was put off when the program ended is made by the next one", async () => {
    await at.close();
    at = await openWorkplace({ editPauseMs: 100_000_000 });
    const thread = await opened();
    for (const n of [1, 2, 3]) await more(thread, n);
    await until(() => at.happened.filter(({ kind }) => kind === "case-changed").length === 3);
    expect(seqShown()).toBe(1);

    const next = await openWorkplace({ file: at.file, slack: at.slack });
    await next.settled();

    expect(seqShown()).toBe(3);
    await next.close();
  });

  it("that Slack does not take is tried again until it does", async () => {
    const thread = await opened();
    at.slack.next("chat.update", ...Array.from({ length: 7 }, () => ({ status: 503 })));

    await more(thread, 1);
    await at.settled();

    expect(seqShown()).toBe(1);
    expect(await at.inbox.counts()).toMatchObject({ failed: 0 });
  });
});

describe("a call that Slack never answers", () => {
  it("ends, and is looked after before it is made again", async () => {
    await at.close();
    at = await openWorkplace({ callMs: 100 });
    at.slack.next("chat.postMessage", { stalls: 1000 });

    await opened();

    expect(at.slack.posted()).toHaveLength(1);
  });
});

describe("a door that is shut for good", () => {
  it.each([
    ["an archived channel", "is_archived", (): Promise<void> => at.slack.archive("C1")],
    ["a channel that the bot was removed from", "not_in_channel", (): Promise<void> => at.slack.kick("C1")],
    ["a token that was taken away", "token_revoked", (): Promise<void> => at.slack.revoke()],
  ])("is knocked at once, logged with a reference and marked: %s", async (_what, why, shut) => {
    at.slack.hold("chat.postMessage");
    await at.slack.say(fenced(CASCADE));
    await until(() => at.happened.some(({ kind }) => kind === "case-opened"));

    await shut();
    at.slack.release("chat.postMessage");
    await at.settled();

    const tried = at.slack.calls.filter(({ method, outcome }) => method === "chat.postMessage" && outcome === why);
    expect(tried).toHaveLength(1);
    expect(at.happened).toContainEqual(
      expect.objectContaining({ kind: "message-given-up", why, reference: "ff-test" }),
    );
    expect(at.happened).toContainEqual(expect.objectContaining({ kind: "delivery-failed", reference: "ff-test" }));
    expect(at.happened.map(({ kind }) => kind)).not.toContain("delivery-again");
    const database = await openDatabase({ file: at.file });
    const { rows } = await sql`select why, reference from outbox`.execute(database.kysely);
    await database.close();
    expect(rows).toEqual([{ why, reference: "ff-test" }]);
  });

  it("in one channel keeps the bot out of no other", async () => {
    const thread = await opened();
    await at.slack.archive("C1");
    await at.slack.event({
      type: "message",
      channel: "C1",
      channel_type: "channel",
      user: "U1",
      ts: "5.1",
      thread_ts: thread,
      text: fenced(CASCADE),
    });
    await at.settled();

    await opened("C2");

    expect(textOf(at.slack.posted("C2")[0])).toMatch(/[Rr]ank 37/);
    expect(at.happened.filter(({ kind }) => kind === "message-given-up")).toHaveLength(1);
  });
});

it("an edit that is owed to a channel that is gone keeps no other from being made after a restart", async () => {
  await at.close();
  at = await openWorkplace({ editPauseMs: 100_000_000 });
  const threads = { C1: await opened("C1"), C2: await opened("C2") };
  for (const [channel, thread] of Object.entries(threads))
    for (const n of [1, 2]) await at.slack.say(fenced(`[rank${n}]: RuntimeError: other ${n}`), { channel, thread });
  await until(() => at.happened.filter(({ kind }) => kind === "case-changed").length === 4);
  await at.slack.archive("C1");

  const next = await openWorkplace({ file: at.file, slack: at.slack });
  await next.settled();

  expect(seqShown("C2")).toBe(2);
  expect(next.happened.filter(({ kind }) => kind === "message-given-up")).toHaveLength(1);
  await next.close();
});

describe("a delivery that is tried again", () => {
  it("keeps its place before what came later in its thread", async () => {
    const seen: string[] = [];
    let stumbles = 2;
    const database = await openDatabase({ file: at.file });
    const inbox = createInboxReceiver({
      store: createInbox(database),
      redact: (text) => ({ text }),
      record: () => {},
      now: () => new Date(),
      newReference: () => "ff-test",
      apologise: async () => {},
      pauses: [5, 5],
    });
    inbox.init({
      async processEvent({ body }: { body: { event_id: string } }) {
        seen.push(body.event_id);
        if (body.event_id === "Ev1" && stumbles-- > 0) throw new Error("not now");
      },
    } as unknown as Parameters<typeof inbox.init>[0]);
    const deliver = (event_id: string, thread: string): Promise<void> =>
      inbox.processEvent({
        body: {
          type: "event_callback",
          team_id: "T1",
          event_id,
          event: { type: "message", channel: "C1", ts: thread, thread_ts: thread },
        },
        ack: async () => {},
      });

    await deliver("Ev1", "1.1");
    await deliver("Ev2", "1.1");
    await deliver("Ev3", "2.1");
    await until(() => seen.length === 5);
    await inbox.drain(1000);
    await database.close();

    expect(seen.filter((id) => id !== "Ev3")).toEqual(["Ev1", "Ev1", "Ev1", "Ev2"]);
  });
});
