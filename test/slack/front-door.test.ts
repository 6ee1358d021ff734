// What the front door refuses, what is written down, and what happens when Slack or we fail.
import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buttons, textOf } from "../../src/demo/fake/slack.ts";
import { openDatabase } from "../../src/store/database.ts";
import { createTelemetry } from "../../src/telemetry.ts";
import { CONTEXTS, SECRETS } from "../diagnose/planted.ts";
import { CASCADE, fenced } from "./logs.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

let at: Workplace;
beforeEach(async () => {
  at = await openWorkplace();
});
afterEach(async () => {
  expect(at.slack.refusals).toEqual([]);
  await at.close();
});

const limited = { limited: 1 };
const broken = { status: 500 };

async function opened(): Promise<string> {
  const ts = await at.slack.say(fenced(CASCADE));
  await at.settled();
  return ts;
}

describe("the front door", () => {
  it.each([["null"], ["[]"], ["1"], ['"text"'], ["{"], [""], ["\0"]])(
    "refuses the signed body %j and lives on",
    async (raw) => {
      expect(await at.slack.knock({ body: raw })).toBe(400);

      await opened();
      expect(at.slack.posted()).toHaveLength(1);
    },
  );

  it.each([
    [{}],
    [{ type: "event_callback" }],
    [{ type: "event_callback", event: null, event_id: "Ev1" }],
    [{ type: "block_actions", actions: [] }],
    [{ type: "block_actions", actions: [null] }],
  ])("takes %j for what it is: nothing", async (body) => {
    expect(await at.slack.knock({ body: JSON.stringify(body) })).toBe(200);

    expect(at.happened).toContainEqual({ kind: "delivery-refused", why: "not-a-delivery" });
    expect(await at.inbox.counts()).toEqual({ received: 0, working: 0, done: 0, failed: 0 });
  });

  it("refuses what was signed ten minutes ago", async () => {
    const at10 = Math.floor(Date.now() / 1000) - 600;

    expect(await at.slack.knock({ body: '{"type":"event_callback"}', at: at10 })).toBe(401);
  });

  it("refuses a wrong signature, before it looks at the body", async () => {
    expect(await at.slack.knock({ body: '{"type":"event_callback"}', secret: "wrong" })).toBe(401);
    expect(await at.slack.knock({ body: "null", secret: "wrong" })).toBe(401);
  });

  it("answers Slack's question for the address", async () => {
    expect(await at.slack.knock({ body: '{"type":"url_verification","challenge":"abc"}' })).toBe(200);
  });

  it("refuses five megabytes", async () => {
    expect(await at.slack.knock({ body: `"${"x".repeat(5_000_000)}"` })).toBe(413);
  });
});

describe("what is kept", () => {
  it("never holds a secret, nor what opens Slack's doors, in any file, message or line of its own log", async () => {
    const planted = SECRETS.flatMap(([, secret], at) => CONTEXTS[at % CONTEXTS.length]?.[1](secret) ?? []);
    const doors = ["/actions/T1", "gIkuvaNzQIHg97ATvDxqgjtO", "trigger_id"];
    for (let from = 0; from < planted.length; from += 30) {
      const some = planted.slice(from, from + 30);
      await at.slack.say(fenced(`${CASCADE} ${some[0]}\n${some.join("\n")}`), {
        channel: (from / 30) % 2 === 0 ? "C1" : "C2",
        user: `U${1 + ((from / 30) % 8)}`,
      });
      await at.settled();
    }
    await at.slack.click(at.slack.posted()[0], { action_id: "show-lines:x", value: "x" });
    await at.settled();

    const kept = ["", "-wal"].map((end) => readFileSync(`${at.file}${end}`, "latin1")).join("");
    const posted = JSON.stringify(at.slack.calls.filter(({ method }) => method.startsWith("chat.")));
    const logged: string[] = [];
    const { record } = createTelemetry("debug", { write: (line: string) => void logged.push(line) });
    for (const one of at.happened) record(one);
    const leaks = (text: string): string[] =>
      SECRETS.filter(([, secret, hidden]) => text.includes(hidden ?? secret)).map(([name]) => name);
    expect([kept, posted, logged.join("")].map(leaks)).toEqual([[], [], []]);
    expect(doors.filter((door) => kept.includes(door))).toEqual([]);
    expect(at.slack.posted().length).toBeGreaterThan(1);
  });

  it("holds no body of a delivery that is worked on", async () => {
    await opened();

    const database = await openDatabase({ file: at.file });
    const { rows } = await sql<{ body: string }>`select body from inbox`.execute(database.kysely);
    await database.close();
    expect(new Set(rows.map(({ body }) => body))).toEqual(new Set([""]));
  });
});

describe("when Slack stumbles", () => {
  it("looks into the thread before it posts again, where an answer was lost", async () => {
    at.slack.next("chat.postMessage", "lost");

    await opened();

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.calls.map(({ method }) => method)).toContain("conversations.replies");
  });

  it("does not post again where Slack fails at the look as well", async () => {
    at.slack.next("chat.postMessage", "lost");
    at.slack.next("conversations.replies", { error: "internal_error" }, { status: 503 }, { error: "fatal_error" });

    await opened();

    expect(at.slack.posted()).toHaveLength(1);
  });

  it("posts again where the first try never got through", async () => {
    at.slack.next("chat.postMessage", broken);

    await opened();

    expect(at.slack.posted()).toHaveLength(1);
  });

  it("waits as long as Slack says, and then posts once", async () => {
    at.slack.next("chat.postMessage", limited, limited);

    await opened();

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.happened).toContainEqual({ kind: "rate-limited", method: "chat.postMessage", seconds: 1 });
    expect(at.slack.impatient).toEqual([]);
  });

  it("writes a new message where someone deleted the old one", async () => {
    await opened();
    const [old] = at.slack.posted();
    const [button] = buttons(old);
    await at.slack.remove({ channel: "C1", ts: old?.ts ?? "" });

    await at.slack.click(old, button ?? {});
    await at.settled();

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(1);
  });

  it("posts again and records it, where it may not look into the thread", async () => {
    at.slack.next("chat.postMessage", broken);
    at.slack.next("conversations.replies", { error: "missing_scope" });

    await opened();

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.happened).toContainEqual(expect.objectContaining({ kind: "thread-not-readable", why: "missing_scope" }));
  });

  it("apologises with a reference, and goes on living, where it fails for good", async () => {
    const no = { error: "fatal_blow" };
    at.slack.next("chat.postMessage", no, no, no);

    await opened();

    expect(at.slack.posted().map((one) => textOf(one))).toEqual([expect.stringContaining("ff-test")]);
    expect(await at.inbox.counts()).toMatchObject({ failed: 1 });
    expect(at.happened).toContainEqual(expect.objectContaining({ kind: "delivery-failed", reference: "ff-test" }));
    await at.slack.say(fenced(CASCADE), { channel: "C2" });
    await at.settled();
    expect(at.slack.posted()).toHaveLength(2);
  });

  it("apologises to the one who clicked, for a button it cannot read", async () => {
    await at.slack.click(
      { channel: "C1", ts: "1.1", thread_ts: "1.0", text: "" },
      { action_id: "answer:yes", value: "{" },
    );
    await at.settled();

    expect(textOf(at.slack.whispers()[0])).toContain("ff-test");
  });
});

it("works on a delivery all the same where the socket went away before it could be acknowledged", async () => {
  const event = {
    type: "message",
    channel: "C1",
    channel_type: "channel",
    user: "U1",
    ts: "5.1",
    text: fenced(CASCADE),
  };
  const body = { type: "event_callback", team_id: "T1", event_id: "Ev9", event };

  await at.bot.processEvent({ body, ack: () => Promise.reject(new Error("no active connection")) });
  await at.settled();

  expect(at.slack.posted()).toHaveLength(1);
  expect(at.happened).toContainEqual(expect.objectContaining({ kind: "delivery-not-acknowledged" }));
});

it("acknowledges once, after it wrote the delivery down and before it reads the log", async () => {
  const event = {
    type: "message",
    channel: "C1",
    channel_type: "channel",
    user: "U1",
    ts: "5.1",
    text: fenced(CASCADE),
  };
  const seen: unknown[] = [];

  await at.bot.processEvent({
    body: { type: "event_callback", team_id: "T1", event_id: "Ev9", event },
    ack: async () => void seen.push(await at.inbox.counts(), at.slack.calls.length),
  });
  await at.settled();

  expect(seen).toEqual([{ received: 1, working: 0, done: 0, failed: 0 }, 0]);
});

it("works on what an earlier run had only written down, once", async () => {
  const event = {
    type: "message",
    channel: "C1",
    channel_type: "channel",
    user: "U1",
    ts: "5.1",
    text: fenced(CASCADE),
  };
  const body = JSON.stringify({ type: "event_callback", team_id: "T1", event_id: "Ev9", event });
  await at.inbox.receive({ team: "T1", id: "Ev9" }, body, new Date().toISOString());

  const again = await openWorkplace({ file: at.file, slack: at.slack });
  await again.settled();
  await again.close();

  expect(at.slack.posted()).toHaveLength(1);
});

it("gives up on a delivery that ended the process each time", async () => {
  const event = { type: "message", channel: "D1", channel_type: "im", user: "U1", ts: "5.1", text: fenced(CASCADE) };
  const delivery = { team: "T1", id: "Ev9" };
  await at.inbox.receive(
    delivery,
    JSON.stringify({ type: "event_callback", team_id: "T1", event_id: "Ev9", event }),
    new Date().toISOString(),
  );
  for (let tries = 0; tries < 8; tries++) await at.inbox.take(delivery, new Date().toISOString());

  const again = await openWorkplace({ file: at.file, slack: at.slack });
  await again.settled();

  expect(await again.inbox.counts()).toMatchObject({ failed: 1 });
  await again.close();
});
