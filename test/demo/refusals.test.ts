// What the fake Slack takes and what it refuses, against Slack's own client.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { actions, button, errorOf, type Json, openApp, plain, type SmallApp, section } from "./small-app.ts";

let at: SmallApp;
beforeEach(async () => {
  at = await openApp();
});
afterEach(() => at.close());

describe("a message that Slack would refuse", () => {
  it.each<[string, string, Json]>([
    ["a section over 3 000", "invalid_blocks", { blocks: [section("x".repeat(3001))] }],
    ["an empty text", "invalid_blocks", { blocks: [section("")] }],
    ["a header over 150", "invalid_blocks", { blocks: [{ type: "header", text: plain("x".repeat(151)) }] }],
    ["mrkdwn in a header", "invalid_blocks", { blocks: [{ type: "header", text: { type: "mrkdwn", text: "x" } }] }],
    ["a button over 75", "invalid_blocks", { blocks: [actions(button({ text: plain("x".repeat(76)) }))] }],
    ["a value over 2 000", "invalid_blocks", { blocks: [actions(button({ value: "x".repeat(2001) }))] }],
    [
      "26 buttons in a row",
      "invalid_blocks",
      {
        blocks: [actions(...Array.from({ length: 26 }, (_, n) => button({ action_id: `a${n}` })))],
      },
    ],
    ["one action_id twice in a block", "invalid_blocks", { blocks: [actions(button(), button())] }],
    [
      "one block_id twice",
      "invalid_blocks",
      {
        blocks: [
          { ...section("x"), block_id: "b" },
          { ...section("y"), block_id: "b" },
        ],
      },
    ],
    ["51 blocks", "invalid_blocks", { blocks: Array.from({ length: 51 }, () => ({ type: "divider" })) }],
    ["a field nobody knows", "invalid_blocks", { blocks: [{ type: "divider", colour: "red" }] }],
    ["a block nobody knows", "invalid_blocks", { blocks: [{ type: "blink" }] }],
    [
      "six options in an overflow menu",
      "invalid_blocks",
      {
        blocks: [
          actions({
            type: "overflow",
            action_id: "m",
            options: Array.from({ length: 6 }, (_, n) => ({ text: plain("o"), value: `${n}` })),
          }),
        ],
      },
    ],
    ["an empty rich text", "invalid_blocks", { blocks: [{ type: "rich_text", elements: [] }] }],
    [
      "more than 13 200 characters together",
      "msg_blocks_too_long",
      {
        blocks: Array.from({ length: 5 }, () => section("x".repeat(2900))),
      },
    ],
    ["neither text nor blocks", "no_text", { text: "" }],
    ["a text over 40 000", "msg_too_long", { text: "x".repeat(40_001) }],
    [
      "metadata over 8 000",
      "metadata_too_large",
      {
        metadata: { event_type: "e", event_payload: { x: "x".repeat(8000) } },
      },
    ],
    ["metadata without a type", "invalid_metadata_format", { metadata: { event_payload: {} } }],
  ])("for %s is refused in Slack's words, and written down", async (_what, error, payload) => {
    expect(await errorOf(at.post(payload))).toBe(error);

    expect(at.slack.refusals).toEqual([expect.objectContaining({ method: "chat.postMessage", error })]);
    expect(at.slack.messages).toEqual([]);
  });

  it("says where the mistake stands", async () => {
    await errorOf(at.post({ blocks: [{ type: "divider" }, section("x".repeat(3001))] }));

    expect(at.slack.refusals[0]?.messages[0]).toContain("[json-pointer:/blocks/1/text/text]");
  });

  it("is one whose text is over 4 000, where it is changed or for one person", async () => {
    const { ts = "" } = await at.client.chat.postMessage({ channel: "C1", text: "x".repeat(4001) });

    const text = "x".repeat(4001);
    expect(await errorOf(at.client.chat.update({ channel: "C1", ts, text }))).toBe("msg_too_long");
    expect(await errorOf(at.client.chat.postEphemeral({ channel: "C1", user: "U1", text }))).toBe("msg_too_long");
  });
});

describe("the bot's own fault is", () => {
  it.each<[string, string, () => Promise<unknown>]>([
    ["a method that does not exist", "unknown_method", () => at.client.apiCall("chat.shout")],
    ["a scope it does not have", "missing_scope", () => at.client.team.info()],
    ["no token", "not_authed", () => at.clientWith("").auth.test()],
    ["a wrong token", "invalid_auth", () => at.clientWith("xoxb-x").auth.test()],
    ["a token of the wrong kind", "not_allowed_token_type", () => at.client.apps.connections.open({})],
  ])("%s", async (_what, error, call) => {
    expect(await errorOf(call())).toBe(error);

    expect(at.slack.refusals.map((one) => one.error)).toEqual([error]);
  });
});

describe("what a test brings about is told apart from that:", () => {
  it.each<[string, string, () => Promise<unknown>]>([
    ["a channel the bot is not in", "not_in_channel", () => at.post({ channel: "C3" })],
    ["a channel that is not there", "channel_not_found", () => at.post({ channel: "C9" })],
    [
      "a message that is gone",
      "message_not_found",
      () => at.client.chat.update({ channel: "C1", ts: "1.1", text: "x" }),
    ],
    [
      "somebody else's message",
      "cant_update_message",
      async () => at.client.chat.update({ channel: "C1", ts: at.slack.sayUnheard("hello"), text: "x" }),
    ],
    [
      "a person who is not in the channel",
      "user_not_in_channel",
      () => at.client.chat.postEphemeral({ channel: "C1", user: "U9", text: "x" }),
    ],
    ["a thread that is gone", "thread_not_found", () => at.client.conversations.replies({ channel: "C1", ts: "1.1" })],
    [
      "an archived channel",
      "is_archived",
      async () => {
        await at.slack.archive("C1");
        return at.post({});
      },
    ],
    [
      "tokens that were taken away",
      "token_revoked",
      async () => {
        await at.slack.revoke();
        return at.post({});
      },
    ],
  ])("%s", async (_what, error, call) => {
    await at.listen();

    expect(await errorOf(call())).toBe(error);
    expect(at.slack.refusals).toEqual([]);
  });
});
