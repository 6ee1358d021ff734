// When the bot speaks and when it keeps quiet, through the front door.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { textOf } from "./fake-slack.ts";
import { CASCADE, escaped } from "./logs.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

let at: Workplace;
beforeEach(async () => {
  at = await openWorkplace();
});
afterEach(async () => {
  expect(at.slack.problems).toEqual([]);
  await at.close();
});

/** Everything the bot said, to everyone or to one. */
function saidByUs(): string[] {
  return at.slack.messages.filter((one) => one.user === "UBOT" || one.ephemeral).map((one) => textOf(one));
}

async function say(...given: Parameters<Workplace["say"]>): Promise<string> {
  const ts = await at.say(...given);
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

  it.each(["unclear", "unknown"] as const)(
    "for a failure that is %s, which it would answer in a direct message",
    async (status) => {
      await at.close();
      at = await openWorkplace({ verdict: { status } });

      await say(escaped(CASCADE));
      expect(saidByUs()).toEqual([]);

      await say(escaped(CASCADE), { channel: "D1", channel_type: "im" });
      expect(saidByUs()).toHaveLength(1);
    },
  );

  it("for another bot's log, and for its own", async () => {
    const log = { type: "message", channel: "C1", channel_type: "channel", text: escaped(CASCADE) };
    await at.event({ ...log, bot_id: "BOTHER", user: "UOTHER", ts: "8.1" });
    await at.event({ ...log, bot_id: "BBOT", user: "UBOT", ts: "8.2" });
    await at.event({
      type: "message",
      subtype: "bot_message",
      channel: "C1",
      bot_id: "B9",
      ts: "9.1",
      text: escaped(CASCADE),
    });
    await at.settled();

    expect(saidByUs()).toEqual([]);
  });

  it("for joins, topics and unfurls", async () => {
    await at.event({
      type: "message",
      subtype: "channel_join",
      channel: "C1",
      user: "U1",
      ts: "9.1",
      text: "<@U1> has joined",
    });
    const message = { type: "message", user: "U1", ts: "9.2", text: escaped(CASCADE) };
    await at.event({
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

describe("whoever speaks to it gets an answer", () => {
  it("that says what it needs, where a mention holds no failure", async () => {
    const ts = await say("<@UBOT> can you help?", { type: "app_mention" });

    expect(saidByUs()).toEqual([expect.stringContaining("Paste the lines of the log around the first error")]);
    expect(at.slack.posted()[0]?.thread_ts).toBe(ts);
  });

  it("once, where the mention arrives twice", async () => {
    await say("<@UBOT> hello", { type: "app_mention", ts: "7.1" });
    await say("<@UBOT> hello", { type: "message", ts: "7.1" });

    expect(saidByUs()).toHaveLength(1);
  });

  it("that asks for a paste, where there is nothing but the mention", async () => {
    await say("<@UBOT>", { type: "app_mention" });

    expect(saidByUs()).toEqual([expect.stringContaining("Paste the error of a training run here")]);
  });

  it("in a direct message, without a mention", async () => {
    await say("hi there", { channel: "D1", channel_type: "im" });

    expect(saidByUs()).toHaveLength(1);
  });

  it("in Chinese, where that is what they write", async () => {
    await say("<@UBOT> 你好,能帮忙看看吗?", { type: "app_mention" });

    expect(saidByUs()[0]).toMatch(/[\u4e00-\u9fff]/);
  });

  it("about the thread's first message, where they call it under a log it had not answered", async () => {
    at.slack.said({ channel: "C1", ts: "3.0", user: "U1", text: escaped(CASCADE) });

    await say("<@UBOT> what is this?", { type: "app_mention", thread_ts: "3.0" });

    expect(saidByUs()[0]).toMatch(/[Rr]ank 37/);
    expect(at.slack.posted()[0]?.thread_ts).toBe("3.0");
  });
});

describe("in the thread of a case", () => {
  it("reads a further paste, and updates the same message", async () => {
    const ts = await say(escaped(CASCADE));
    const before = at.slack.posted()[0]?.metadata?.event_payload.seq;

    await say(
      `\`\`\`${"[rank37]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB.\n".repeat(3)}\`\`\``,
      { thread_ts: ts, user: "U2" },
    );

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(Number(before) + 1);
  });

  it("leaves people's talk alone", async () => {
    const ts = await say(escaped(CASCADE));
    const before = structuredClone(at.slack.messages);

    const talk = await say("I am on it, give me five minutes", { thread_ts: ts, user: "U2" });

    expect(at.slack.messages.filter((one) => one.ts !== talk)).toEqual(before);
  });

  it("reads an edited message again only where its text changed", async () => {
    const ts = await say(escaped(CASCADE));
    const calls = at.slack.calls.length;
    const message = { type: "message", user: "U1", ts, text: escaped(CASCADE) };
    const edit = (text: string, n: number) =>
      at.event({
        type: "message",
        subtype: "message_changed",
        channel: "C1",
        ts: `9.${n}`,
        message: { ...message, text },
        previous_message: message,
      });

    await edit(message.text, 1);
    await at.settled();
    expect(at.slack.calls.length).toBe(calls);

    await edit(escaped(`${CASCADE}\n2026-03-02 04:12:00,000 [rank37]: exit`), 2);
    await at.settled();
    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(1);
  });

  it("lets a deleted message take its quotes along", async () => {
    const ts = await say(escaped(CASCADE));

    await at.event({
      type: "message",
      subtype: "message_deleted",
      channel: "C1",
      ts: "9.1",
      deleted_ts: ts,
      previous_message: { type: "message", user: "U1", ts, text: "" },
    });
    await at.settled();
    const lines = at.slack
      .posted()[0]
      ?.blocks?.flatMap((block) => block.elements ?? [])
      .find((one) => one.action_id?.startsWith("show-lines"));
    await at.click(at.slack.posted()[0], lines ?? {}, { user: "U4" });
    await at.settled();

    expect(textOf(at.slack.messages.find((one) => one.ephemeral === "U4"))).toContain("No lines are kept");
  });
});
