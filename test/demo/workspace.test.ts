// What people say in the fake Slack, and what an app hears and sees of it.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errorOf, type Json, openApp, type SmallApp, section } from "./small-app.ts";

let at: SmallApp;
beforeEach(async () => {
  at = await openApp();
});
afterEach(() => at.close());

describe("what people say", () => {
  it("comes as Slack writes it", async () => {
    await at.listen();

    await at.slack.say(
      "@firstfault is <a> & b, see https://example.org/x?y=1&z=2. ```@wei node-1.example.com:29500```",
    );

    expect(at.events().find((one) => one.type === "message")?.text).toBe(
      "<@UBOT> is &lt;a&gt; &amp; b, see <https://example.org/x?y=1&amp;z=2>. ```@wei <http://node-1.example.com:29500|node-1.example.com:29500>```",
    );
  });

  it("to the bot comes twice, with two event ids", async () => {
    await at.listen();

    await at.slack.say("@firstfault hello");

    expect(at.events().map((one) => one.type)).toEqual(expect.arrayContaining(["app_mention", "message"]));
    expect(new Set(at.heard.map(({ body }) => body.event_id)).size).toBe(2);
  });

  it("comes again as changed, with the same text, where Slack shows a preview of a link", async () => {
    await at.listen();

    await at.slack.say("see https://example.org/");

    const [said, changed] = at.events() as [Json, Json & { message: Json; previous_message: Json }];
    expect(changed).toMatchObject({ subtype: "message_changed", message: { text: said.text } });
    expect([changed.message.attachments, changed.previous_message.attachments]).toEqual([
      [expect.anything()],
      undefined,
    ]);
  });

  it("with a link of the app's own is the app's to unfurl", async () => {
    await at.listen();
    const url = "https://firstfault.example.org/oom";

    const ts = await at.slack.say(`see ${url}`);

    const shared = at.events().find((one) => one.type === "link_shared");
    expect(shared).toMatchObject({ channel: "C1", message_ts: ts, links: [{ url, domain: "firstfault.example.org" }] });
    const unfurls = { [url]: { blocks: [section("oom")] } };
    await at.client.chat.unfurl({ channel: "C1", ts, unfurls } as never);
    expect(at.slack.messages[0]?.attachments).toEqual([expect.objectContaining({ app_unfurl_url: url })]);
    const stray = { "https://example.org/": { blocks: [section("x")] } };
    expect(await errorOf(at.client.chat.unfurl({ channel: "C1", ts, unfurls: stray } as never))).toBe(
      "cannot_unfurl_url",
    );
  });

  it("leaves a tombstone where it had replies, and nothing where it had none", async () => {
    await at.listen();
    const parent = await at.slack.say("log");
    const reply = await at.slack.say("thanks", { thread: parent });

    await at.slack.remove({ channel: "C1", ts: parent });
    await at.slack.remove({ channel: "C1", ts: reply });

    expect(at.events().slice(2)).toEqual([
      expect.objectContaining({
        subtype: "message_changed",
        message: expect.objectContaining({ subtype: "tombstone" }),
      }),
      expect.objectContaining({ subtype: "message_deleted", deleted_ts: reply }),
    ]);
  });

  it("is not heard where the bot is not, nor without the scope", async () => {
    await at.close();
    at = await openApp({ scopes: ["chat:write", "app_mentions:read"] });
    await at.listen();

    await at.slack.say("hello", { channel: "C3" });
    await at.slack.say("hello");
    await at.slack.say("@firstfault hello");

    expect(at.events().map((one) => one.type)).toEqual(["app_mention"]);
  });

  it("in a shared channel names the other company, and hides its files", async () => {
    await at.listen();

    await at.slack.say("look", { channel: "C4", user: "U9", files: [{ name: "a.log", content: "x" }] });

    const body = at.heard[0]?.body ?? {};
    expect(body).toMatchObject({ is_ext_shared_channel: true, event: { user_team: "T2", subtype: "file_share" } });
    const [file] = (body.event as { files: Json[] }).files;
    expect(file).toEqual({ id: expect.any(String), mode: "file_access", file_access: "check_file_info" });
    expect((await at.client.files.info({ file: String(file?.id) })).file?.url_private).toContain("/files-pri/");
  });

  it("and what the bot itself says, the bot hears", async () => {
    await at.listen();

    await at.post({ text: "done" });
    await at.slack.idle();

    expect(at.events()).toEqual([expect.objectContaining({ bot_id: "BBOT", text: "done" })]);
  });
});

it("shows a thread page by page, with metadata only to who asks for it", async () => {
  const ts = at.slack.sayUnheard("log");
  for (const n of [1, 2, 3])
    await at.post({ thread_ts: ts, text: `${n}`, metadata: { event_type: "e", event_payload: { n } } });

  const texts: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await at.client.conversations.replies({ channel: "C1", ts, limit: 2, ...(cursor ? { cursor } : {}) });
    texts.push(...(page.messages ?? []).map((one) => one.text));
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor);
  const all = await at.client.conversations.replies({ channel: "C1", ts, include_all_metadata: true });

  expect(texts).toEqual(["log", "1", "2", "3"]);
  expect(all.messages?.[1]?.metadata).toMatchObject({ event_payload: { n: 1 } });
  expect((await at.client.chat.getPermalink({ channel: "C1", message_ts: ts })).permalink).toContain(
    ts.replace(".", ""),
  );
});

it("tells whom a message calls, and what only looks like it", async () => {
  await at.post({
    text: "&lt;!channel&gt;",
    blocks: [
      section("<!here> <@U3|lea>"),
      {
        type: "rich_text",
        elements: [
          {
            type: "rich_text_section",
            elements: [
              { type: "text", text: "<!everyone> " },
              { type: "user", user_id: "U7" },
            ],
          },
        ],
      },
    ],
  });

  expect(at.slack.pings()).toEqual(["here", "U3", "U7"]);
});
