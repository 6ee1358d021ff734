// Modals and files of the fake Slack.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errorOf, type Json, openApp, plain, type SmallApp } from "./small-app.ts";

let at: SmallApp;
beforeEach(async () => {
  at = await openApp();
});
afterEach(() => at.close());

describe("a modal", () => {
  const view = (more: Json = {}): Json => ({
    type: "modal",
    callback_id: "settings",
    title: plain("Settings"),
    submit: plain("Save"),
    blocks: [
      {
        type: "input",
        block_id: "why",
        label: plain("Why"),
        element: { type: "plain_text_input", action_id: "text", max_length: 10 },
      },
    ],
    ...more,
  });

  async function trigger(): Promise<string> {
    await at.listen((n) => (n === 2 ? { body: { response_action: "errors", errors: { why: "too short" } } } : {}));
    await at.slack.command("/firstfault", "help");
    return String(at.heard[0]?.body.trigger_id);
  }

  it("opens with a fresh trigger, once, takes what is filled in, and shows what is wrong", async () => {
    const trigger_id = await trigger();

    await at.client.views.open({ trigger_id, view: view() as never });
    expect(await errorOf(at.client.views.open({ trigger_id, view: view() as never }))).toBe("exchanged_trigger_id");
    const [open] = at.slack.views;
    if (!open) throw new Error("no modal");
    await expect(at.slack.submit(open, {})).rejects.toThrow("must be filled in");
    await expect(at.slack.submit(open, { text: "x".repeat(11) })).rejects.toThrow("takes 10");

    expect((await at.slack.submit(open, { text: "a" })).errors).toEqual({ why: "too short" });
    expect(at.heard.at(-1)?.body).toMatchObject({
      type: "view_submission",
      view: { callback_id: "settings", state: { values: { why: { text: { value: "a" } } } } },
    });
    await at.slack.submit(open, { text: "abc" });
    expect(at.slack.views).toEqual([]);
  });

  it("does not open three seconds later", async () => {
    await at.close();
    at = await openApp({ triggerMs: 30 });
    const trigger_id = await trigger();
    await sleep(50);

    expect(await errorOf(at.client.views.open({ trigger_id, view: view() as never }))).toBe("expired_trigger_id");
  });

  it.each<[string, Json]>([
    ["a title over 24", { title: plain("x".repeat(25)) }],
    ["inputs and no way to send them", { submit: undefined }],
    ["private_metadata over 3 000", { private_metadata: "x".repeat(3001) }],
    ["101 blocks", { blocks: Array.from({ length: 101 }, () => ({ type: "divider" })) }],
  ])("is refused with %s", async (_what, more) => {
    const trigger_id = await trigger();

    expect(await errorOf(at.client.views.open({ trigger_id, view: view(more) as never }))).toBe("invalid_arguments");
  });
});

describe("a file", () => {
  it("is given to the bot's token only; others get the page for signing in", async () => {
    await at.listen();
    await at.slack.say("", { files: [{ name: "job.log", content: "line 1\nline 2" }] });
    const [file] = (at.events()[0] as { files: Json[] }).files;
    const url = String(file?.url_private_download);

    const ours = await fetch(url, { headers: { authorization: `Bearer ${at.slack.botToken}` } });
    const theirs = await fetch(url);

    expect(await ours.text()).toBe("line 1\nline 2");
    expect([theirs.status, theirs.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(at.slack.downloads.map(({ authorized }) => authorized)).toEqual([true, false]);
  });

  it("may lie elsewhere", async () => {
    await at.listen();
    await at.slack.say("", { files: [{ name: "job.log", content: "", redirects: "http://127.0.0.1:1/x" }] });
    const [file] = (at.events()[0] as { files: Json[] }).files;

    const answer = await fetch(String(file?.url_private), {
      headers: { authorization: `Bearer ${at.slack.botToken}` },
      redirect: "manual",
    });

    expect([answer.status, answer.headers.get("location")]).toEqual([302, "http://127.0.0.1:1/x"]);
  });
});
