// When the bot speaks and when it keeps quiet, through the front door.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buttons, type FakeSlack, textOf } from "../../src/demo/fake/slack.ts";
import type { OpenView } from "../../src/demo/fake/world.ts";
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

/** Everything the bot said, to everyone or to one. */
function saidByUs(): string[] {
  return at.slack.messages.filter((one) => one.user === "UBOT").map((one) => textOf(one));
}

async function say(...given: Parameters<FakeSlack["say"]>): Promise<string> {
  const ts = await at.slack.say(...given);
  await at.settled();
  return ts;
}

describe("in a channel it keeps quiet", () => {
  it.each([
    ["chatter", "lunch at 12? the new place next door has noodles"],
    ["a question about a failure", "does anyone know what NCCL_TIMEOUT does by default?"],
    [
      "healthy training",
      "step 100 | loss 2.31 | grad norm 0.9\nstep 101 | loss 2.30 | grad norm 0.8\nstep 102 | loss 2.29 | grad norm 0.9",
    ],
    ["an empty message", ""],
    ["Chinese chatter", "今天中午吃什么?"],
  ])("for %s", async (_what, text) => {
    await say(text);

    expect(saidByUs()).toEqual([]);
  });

  it("for another bot's log, and for its own", async () => {
    const log = { type: "message", channel: "C1", channel_type: "channel", text: fenced(CASCADE) };
    await at.slack.event({ ...log, bot_id: "BOTHER", user: "UOTHER", ts: "8.1" });
    await at.slack.event({ ...log, bot_id: "BBOT", user: "UBOT", ts: "8.2" });
    await at.slack.event({
      type: "message",
      subtype: "bot_message",
      channel: "C1",
      bot_id: "B9",
      ts: "9.1",
      text: fenced(CASCADE),
    });
    await at.settled();

    expect(saidByUs()).toEqual([]);
  });

  it("for joins, topics and unfurls", async () => {
    await at.slack.event({
      type: "message",
      subtype: "channel_join",
      channel: "C1",
      user: "U1",
      ts: "9.1",
      text: "<@U1> has joined",
    });
    const message = { type: "message", user: "U1", ts: "9.2", text: fenced(CASCADE) };
    await at.slack.event({
      type: "message",
      subtype: "message_changed",
      channel: "C1",
      ts: "9.3",
      message,
      previous_message: message,
    });
    await at.settled();

    expect(saidByUs()).toEqual([]);
  });
});

describe.each(["unclear", "unknown"] as const)("a log that stays %s", (status) => {
  beforeEach(async () => {
    await at.close();
    at = await openWorkplace({ verdict: { status } });
  });

  it("is offered a look, to its sender alone, and answered in its thread when they want it", async () => {
    const ts = await say(fenced(CASCADE), { user: "U2" });
    expect(at.slack.posted()).toEqual([]);
    const [offer, ...more] = at.slack.whispers("U2");
    expect([more, textOf(offer)]).toEqual([[], expect.stringContaining("Shall I look")]);

    await at.slack.click(offer, buttons(offer)[0] ?? {}, { user: "U2" });
    await at.slack.click(offer, buttons(offer)[0] ?? {}, { user: "U2" });
    await at.settled();

    expect(at.slack.posted().map(({ thread_ts }) => thread_ts)).toEqual([ts]);
    expect(textOf(at.slack.whispers("U2").at(-1))).toContain("read already");
  });

  it("is offered a look once where its sender sends it in pieces, and edits one", async () => {
    await say(fenced(CASCADE));
    const ts = await say(fenced(CASCADE));
    await at.slack.edit({ channel: "C1", ts }, fenced(`${CASCADE} more`));
    await at.settled();

    expect(saidByUs()).toHaveLength(1);
  });

  it("is answered at once in a direct message", async () => {
    await say(fenced(CASCADE), { channel: "D1" });

    expect(at.slack.posted("D1")).toHaveLength(1);
  });

  it("is left alone where the channel wants mentions only", async () => {
    await at.slack.command("/firstfault", "settings");
    await at.settled();
    await at.slack.submit(at.slack.views[0] as OpenView, { mode: "mention" });
    await at.settled();
    const before = saidByUs().length;

    await say(fenced(CASCADE));

    expect(saidByUs()).toHaveLength(before);
  });
});

describe("whoever speaks to it gets an answer", () => {
  it("that says what it needs, where a mention holds no failure", async () => {
    const ts = await say("@firstfault can you help?");

    expect(saidByUs()).toEqual([expect.stringContaining("Paste the lines of the log around the first error")]);
    expect(at.slack.posted()[0]?.thread_ts).toBe(ts);
  });

  it("once, where the mention arrives twice", async () => {
    await say("@firstfault hello");

    const heard = at.slack.deliveries.map(({ type }) => type);
    expect(heard).toEqual(expect.arrayContaining(["app_mention", "message"]));
    expect(saidByUs()).toHaveLength(1);
  });

  it("that tells what it read, where the output of a tool shows no failure yet", async () => {
    const times = [0, 1, 2, 3].flatMap((group) =>
      Array.from({ length: 20 }, (_, at) => {
        const ms = 38 + (group === 2 && at > 9 ? 2 * (at - 9) : 0);
        return `step ${900 + at} ep_group ${group} all_to_all ${ms}.0 ms`;
      }),
    );
    await at.slack.say(`@firstfault\n\`\`\`${times.join("\n")}\`\`\``);
    await at.settled();

    expect(at.slack.posted().map(textOf)).toEqual([expect.stringMatching(/^Group 2 gets slower since step 91\d: 38/)]);
  });

  it("that asks for a paste, where there is nothing but the mention", async () => {
    await say("@firstfault");

    expect(saidByUs()).toEqual([expect.stringContaining("Paste the error of a training run here")]);
  });

  it("in a direct message, without a mention", async () => {
    await say("hi there", { channel: "D1" });

    expect(saidByUs()).toHaveLength(1);
  });

  it("in Chinese, where that is what they write", async () => {
    await say("@firstfault 你好,能帮忙看看吗?");

    expect(saidByUs()[0]).toMatch(/[\u4e00-\u9fff]/);
  });

  it("about the thread's first message, where they call it under a log it had not answered", async () => {
    const thread = at.slack.sayUnheard(fenced(CASCADE));

    await say("@firstfault what is this?", { thread });

    expect(saidByUs()[0]).toMatch(/[Rr]ank 37/);
    expect(at.slack.posted()[0]?.thread_ts).toBe(thread);
  });
});

describe("in the thread of a case", () => {
  it("reads a further paste, and updates the same message", async () => {
    const ts = await say(fenced(CASCADE));
    const before = at.slack.posted()[0]?.metadata?.event_payload.seq;

    await say(
      `\`\`\`${"[rank37]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB.\n".repeat(3)}\`\`\``,
      { thread: ts, user: "U2" },
    );

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(Number(before) + 1);
  });

  it("reads a paste that Slack delivers before the log it belongs to", async () => {
    const log = { ts: "1772424000.000100" };
    const output = fenced("pid, used_gpu_memory [MiB]\n41280, 73420 MiB\n90417, 6330 MiB");
    await at.slack.outOfOrder(async () => {
      await at.slack.say(fenced(CASCADE), log);
      await at.slack.say(output, { thread: log.ts, user: "U2" });
    });
    await at.settled();

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(1);
    expect(textOf(at.slack.posted()[0])).toContain("2 compute processes");
  });

  it("leaves people's talk alone", async () => {
    const ts = await say(fenced(CASCADE));
    const before = structuredClone(at.slack.messages);

    const talk = await say("I am on it, give me five minutes", { thread: ts, user: "U2" });

    expect(at.slack.messages.filter((one) => one.ts !== talk)).toEqual(before);
  });

  it.each([
    [
      "a long story",
      "I looked at this with Ana\nshe says the fabric was fine last night\nso I will ask the storage people",
    ],
    ["a plan", `${"we restart it on the other nodes and see what comes of it, ".repeat(6)}ok?`],
  ])("leaves %s alone, however long", async (_what, talk) => {
    const thread = await say(fenced(CASCADE));

    await say(talk, { thread, user: "U2" });

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(0);
  });

  it("says of a pasted output that nothing knows it", async () => {
    const thread = await say(fenced(CASCADE));

    await say(fenced("a table\nof something\nunheard of"), { thread, user: "U2" });

    expect(textOf(at.slack.posted()[0])).toContain("No reader knows this text");
  });

  it("answers a question that mentions it, and no other", async () => {
    const thread = await say(fenced(CASCADE));

    await say("what do you need?", { thread, user: "U2" });
    expect(at.slack.posted()).toHaveLength(1);

    await say("@firstfault what do you need?", { thread, user: "U2" });
    expect(at.slack.posted().map((one) => textOf(one))[1]).toContain("Paste output here");
  });

  it("reads an edited message again only where its text changed", async () => {
    const ts = await say(fenced(CASCADE));
    const calls = at.slack.calls.length;

    await at.slack.edit({ channel: "C1", ts }, fenced(CASCADE));
    await at.settled();
    expect(at.slack.calls.length).toBe(calls);

    await at.slack.edit({ channel: "C1", ts }, fenced(`${CASCADE}\n2026-03-02 04:12:00,000 [rank37]: exit`));
    await at.settled();
    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(1);
  });

  it.each([
    ["that opened the case, and leaves a tombstone", false],
    ["that came later, and is gone", true],
  ])("lets a deleted message take its quotes along: one %s", async (_what, later) => {
    const thread = await say(later ? "@firstfault look" : fenced(CASCADE));
    const ts = later ? await say(`@firstfault ${fenced(CASCADE)}`, { thread }) : thread;

    await at.slack.remove({ channel: "C1", ts });
    await at.settled();
    const message = at.slack.posted().at(-1);
    const lines = buttons(message).find((one) => one.action_id?.startsWith("show-lines"));
    await at.slack.click(message, lines ?? {}, { user: "U4" });
    await at.settled();

    expect(textOf(at.slack.whispers("U4")[0])).toContain("No lines are kept");
  });
});
