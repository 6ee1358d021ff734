// The bot's calls against a fake of Slack's Web API that others wrote. It covers auth.test, chat.*, conversations.*, users,
// files and views, with scopes; it has no Socket Mode, no clicks or commands, no unfurls, and does not check blocks.
import { createEmulator, type Emulator } from "emulate";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FakeElement, FakeMessage } from "../../src/demo/fake/world.ts";
import { whoAmI } from "../../src/slack/app.ts";
import { createTelemetry } from "../../src/telemetry.ts";
import { CASCADE, fenced } from "./logs.ts";
import { MANIFEST } from "./manifest.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

const BOT = "xoxb-second-opinion";
const PERSON = "xoxp-wei";
const { scopes } = (MANIFEST as { oauth_config: { scopes: { bot: string[] } } }).oauth_config;

let slack: Emulator;
let url: string;
let at: Workplace;
beforeEach(async () => {
  slack = await createEmulator({
    service: "slack",
    port: 0,
    seed: {
      slack: {
        strict_scopes: true,
        users: [{ name: "wei" }, { name: "firstfault" }],
        channels: [{ name: "training" }],
        tokens: [
          { token: BOT, user: "firstfault", scopes: scopes.bot },
          { token: PERSON, user: "wei", scopes: ["chat:write", "channels:history", "channels:read", "channels:join"] },
        ],
      },
    },
  });
  url = `http://127.0.0.1:${new URL(slack.url).port}/api/`;
  at = await openWorkplace({ api: { apiUrl: url, botToken: BOT } });
});
afterEach(async () => {
  await at.close();
  await slack.close();
});

type Answer = Record<string, unknown> & { ok: boolean };

async function call(method: string, args: object, token = PERSON): Promise<Answer> {
  const answer = await fetch(`${url}${method}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(args),
  });
  return (await answer.json()) as Answer;
}

it("posts a case into the thread, changes it in place, and whispers, with the manifest's scopes", async () => {
  const { channels } = (await call("conversations.list", {})) as unknown as {
    channels: { id: string; name: string }[];
  };
  const channel = channels.find(({ name }) => name === "training")?.id ?? "";
  const said = await call("chat.postMessage", { channel, text: fenced(CASCADE) });
  const ts = String(said.ts);
  const replies = async (): Promise<FakeMessage[]> => {
    const page = await call("conversations.replies", { channel, ts });
    return (page.messages as FakeMessage[]).slice(1).map((message) => ({ ...message, channel }));
  };
  const user = String((await call("auth.test", {})).user_id);
  const { bolt: logger } = createTelemetry("silent");
  const installation = await whoAmI({ token: BOT, apiUrl: url, logger, fetch });

  await at.slack.event({ type: "message", channel, channel_type: "channel", user, ts, text: fenced(CASCADE) });
  await at.settled();
  const [posted] = await replies();
  const buttons = (posted?.blocks ?? []).flatMap(({ type, elements }) => (type === "actions" ? (elements ?? []) : []));
  const press = (verb: string): FakeElement =>
    buttons.find(({ action_id }) => action_id?.startsWith(verb)) ?? { type: "" };
  await at.slack.click(posted, press("answer:"), { user });
  await at.slack.click(posted, press("show-lines:"), { user });
  await at.settled();

  expect(installation.botUser).toMatch(/^U/);
  expect(posted).toMatchObject({ thread_ts: ts, metadata: { event_type: "firstfault_case" } });
  expect(JSON.stringify(posted?.blocks)).toContain("Rank 37");
  const after = await replies();
  expect(after).toHaveLength(1);
  expect(after[0]?.metadata?.event_payload).toMatchObject({ label: "oom", seq: 1 });
  expect(at.happened.filter(({ kind }) => kind === "delivery-failed" || kind === "ephemeral-not-posted")).toEqual([]);
});
