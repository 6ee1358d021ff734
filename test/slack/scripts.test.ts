// The program that a step asks for comes as a file of the thread, once.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { buttons, createFakeSlack, textOf } from "../../src/demo/fake/slack.ts";
import { fenced } from "./logs.ts";
import { MANIFEST } from "./manifest.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "playbooks", "expert-imbalance");
const CLIMBS = readFileSync(join(FOLDER, "logs", "hit-megatron-lbl-climbs.log"), "utf8");
const SCRIPT = readFileSync(join(FOLDER, "scripts", "tokens-per-expert.py"), "utf8");

let at: Workplace;
afterEach(async () => {
  expect(at.slack.refusals).toEqual([]);
  await at.close();
});

const files = () => at.slack.posted().flatMap((message) => message.files ?? []);

async function opened(): Promise<string> {
  const ts = await at.slack.say(fenced(CLIMBS), { whole: true });
  await at.settled();
  return ts;
}

async function toCounts(): Promise<string> {
  const ts = await opened();
  const [message] = at.slack.posted();
  const risen = buttons(message).find((one) => one.action_id === "answer:risen");
  await at.slack.click(message, risen ?? {});
  await at.settled();
  return ts;
}

it("is put into the thread when its step comes", async () => {
  at = await openWorkplace({ editPauseMs: 0 });
  const thread = await toCounts();

  const message = at.slack.posted().find((one) => (one.files ?? []).length > 0);
  expect(message).toMatchObject({ channel: "C1", thread_ts: thread });
  expect(files()).toMatchObject([{ name: "tokens-per-expert.py", size: Buffer.byteLength(SCRIPT) }]);
});

it("does not come before its step", async () => {
  at = await openWorkplace({ editPauseMs: 0 });
  await opened();
  expect(files()).toEqual([]);
});

it("comes once, however often its step is shown", async () => {
  at = await openWorkplace({ editPauseMs: 0 });
  const thread = await toCounts();

  await at.slack.say("```just\nsome\nlines\nthat answer nothing```", { thread });
  await at.settled();
  expect(files()).toHaveLength(1);
});

it("is not asked for again where Slack's answer was never heard", async () => {
  at = await openWorkplace({ editPauseMs: 0 });
  at.slack.next("files.completeUploadExternal", "lost");
  await toCounts();
  expect(files()).toHaveLength(1);
});

it("is left out without the right to send files, and the step is shown all the same", async () => {
  const { oauth_config } = MANIFEST as { oauth_config: { scopes: { bot: string[] } } };
  const scopes = oauth_config.scopes.bot.filter((scope) => scope !== "files:write");
  const slack = await createFakeSlack({ manifest: MANIFEST, scopes, second: 20, retryMs: [0, 50, 100] });
  at = await openWorkplace({ slack, editPauseMs: 0 });
  await toCounts();
  expect(files()).toEqual([]);
  expect(textOf(at.slack.posted()[0])).toContain("Do all expert ranks get the same number of tokens?");
  expect(at.happened).toContainEqual(expect.objectContaining({ kind: "file-not-posted", why: "missing_scope" }));
  at.slack.refusals.length = 0;
});
