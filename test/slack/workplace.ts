// A bot on a temporary database, its front door on a port of this machine, and a fake Slack behind nock.
import { createHash, createHmac, randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import nock from "nock";
import { createCases } from "../../src/case/case.ts";
import { type Catalog, loadCatalog } from "../../src/catalog.ts";
import { redact } from "../../src/diagnose/redact.ts";
import type { Verdict } from "../../src/diagnose/verdict-type.ts";
import { createRead } from "../../src/reading.ts";
import { createBot } from "../../src/slack/app.ts";
import type { SlackHappened } from "../../src/slack/happened.ts";
import { createHttp } from "../../src/slack/http.ts";
import { createCaseStore } from "../../src/store/cases.ts";
import { openDatabase } from "../../src/store/database.ts";
import { createInbox } from "../../src/store/inbox.ts";
import { createMessageStore } from "../../src/store/outbox.ts";
import { createRetention } from "../../src/store/retention.ts";
import { createTelemetry } from "../../src/telemetry.ts";
import { createFakeSlack, type FakeElement, type FakeMessage, type FakeSlack } from "./fake-slack.ts";

export const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";

export interface Workplace {
  slack: FakeSlack;
  happened: SlackHappened[];
  /** A signed delivery through the front door; the status. */
  deliver(body: unknown, options?: { form?: boolean; retry?: number; secret?: string; raw?: string }): Promise<number>;
  event(event: object, id?: string): Promise<number>;
  /** A message of a person, as Slack would deliver it; its ts. */
  say(text: string, options?: Partial<Saying>): Promise<string>;
  click(
    message: FakeMessage | undefined,
    element: Partial<FakeElement> & { action_id?: string },
    options?: Clicking,
  ): Promise<number>;
  /** Until the bot has nothing more to do. */
  settled(): Promise<void>;
  file: string;
  inbox: ReturnType<typeof createInbox>;
  bot: ReturnType<typeof createBot>;
  close(): Promise<void>;
}

export interface Saying {
  user: string;
  channel: string;
  channel_type: string;
  thread_ts: string;
  ts: string;
  bot_id: string;
  type: string;
}

export interface Clicking {
  user?: string;
  name?: string;
  option?: string;
  selected?: string;
  at?: string;
}

let catalog: Catalog | undefined;

export async function openWorkplace(
  over: { file?: string; slack?: FakeSlack; catalog?: Catalog; verdict?: Partial<Verdict> } = {},
): Promise<Workplace> {
  catalog ??= await loadCatalog();
  const { playbooks, rules } = over.catalog ?? catalog;
  const slack = over.slack ?? createFakeSlack();
  behindNock(slack);
  const file = over.file ?? join(mkdtempSync(join(tmpdir(), "firstfault-")), "firstfault.db");
  const database = await openDatabase({ file });
  const inbox = createInbox(database);
  const happened: SlackHappened[] = [];
  const { bolt: logger } = createTelemetry("silent");
  const now = (): Date => new Date();
  const bot = createBot({
    botToken: "xoxb-test",
    apiUrl: null,
    installation: { botUser: "UBOT", botId: "BBOT", team: "T1" },
    cases: createCases({
      store: createCaseStore(database),
      playbooks,
      rules: rules.version,
      now,
      newId: () => randomUUID(),
      hash: (text) => createHash("sha256").update(text).digest("hex"),
    }),
    deliveries: inbox,
    messages: createMessageStore(database),
    read: async (text, message) => {
      const given = await createRead(rules)(text, message);
      return { ...given, verdict: { ...given.verdict, ...over.verdict } };
    },
    redact,
    forget: createRetention(database).forgetMessage,
    record: (one) => happened.push(one),
    logger,
    language: "en",
    baseUrl: "https://firstfault.example.org/",
    now,
    fetch,
    sleep: (ms) => sleep(Math.min(ms, 20)),
    newReference: () => "ff-test",
    pauses: [5, 10],
  });
  const handle = createHttp({ signingSecret: SECRET, inbox: bot, logger, record: (one) => happened.push(one) });
  const server = createServer((req, res) => void handle(req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await bot.feed();
  let clock = Number(`${Date.now()}`.slice(-6));

  async function deliver(
    body: unknown,
    {
      form = false,
      retry,
      secret = SECRET,
      raw,
    }: { form?: boolean; retry?: number; secret?: string; raw?: string } = {},
  ): Promise<number> {
    const text =
      raw ?? (form ? new URLSearchParams({ payload: JSON.stringify(body) }).toString() : JSON.stringify(body));
    const at = Math.floor(Date.now() / 1000);
    const signature = `v0=${createHmac("sha256", secret).update(`v0:${at}:${text}`).digest("hex")}`;
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port,
          path: "/slack/events",
          method: "POST",
          headers: {
            "content-type": form ? "application/x-www-form-urlencoded" : "application/json",
            "x-slack-signature": signature,
            "x-slack-request-timestamp": String(at),
            ...(retry ? { "x-slack-retry-num": String(retry), "x-slack-retry-reason": "http_timeout" } : {}),
          },
        },
        (answer) => {
          answer.resume();
          answer.on("end", () => resolve(answer.statusCode ?? 0));
        },
      );
      sent.on("error", reject);
      sent.end(text);
    });
  }

  function event(one: object, id = `Ev${randomUUID()}`): Promise<number> {
    return deliver({
      type: "event_callback",
      team_id: "T1",
      api_app_id: "A1",
      event_id: id,
      event_time: 1_700_000_000,
      authorizations: [
        { enterprise_id: null, team_id: "T1", user_id: "UBOT", is_bot: true, is_enterprise_install: false },
      ],
      event: one,
    });
  }

  return {
    slack,
    happened,
    file,
    inbox,
    bot,
    deliver,
    event,
    async say(text, { user = "U1", channel = "C1", channel_type = "channel", type = "message", ...more } = {}) {
      const ts = more.ts ?? `${clock++}.000000`;
      slack.said({ channel, ts, user, text, ...(more.thread_ts ? { thread_ts: more.thread_ts } : {}) });
      await event({ type, channel, channel_type, user, text, ...more, ts });
      return ts;
    },
    click(message, element, { user = "U1", name = "wei", option, selected, at } = {}) {
      return deliver(
        {
          type: "block_actions",
          team: { id: "T1", domain: "acme" },
          user: { id: user, username: name, name, team_id: "T1" },
          api_app_id: "A1",
          token: "gIkuvaNzQIHg97ATvDxqgjtO",
          trigger_id: "1337.42.abc",
          response_url: "https://hooks.slack.com/actions/T1/1/abc",
          container: {
            type: "message",
            message_ts: message?.ts,
            channel_id: message?.channel,
            thread_ts: message?.thread_ts,
          },
          channel: { id: message?.channel, name: "general" },
          message: { ts: message?.ts, thread_ts: message?.thread_ts, text: message?.text },
          actions: [
            {
              ...element,
              block_id: "b",
              action_ts: at ?? `${clock++}.5`,
              ...(option ? { selected_option: { text: { type: "plain_text", text: option }, value: option } } : {}),
              ...(selected ? { selected_user: selected } : {}),
            },
          ],
        },
        { form: true },
      );
    },
    async settled() {
      for (let quiet = 0; quiet < 2; ) {
        await sleep(15);
        const { received, working } = await inbox.counts();
        quiet = received + working === 0 ? quiet + 1 : 0;
      }
    },
    async close() {
      await bot.drain(1000);
      await new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await database.close();
      nock.cleanAll();
    },
  };
}

/** Everything for Slack's Web API goes to the fake; nothing else leaves this machine. */
function behindNock(slack: FakeSlack): void {
  nock.disableNetConnect();
  nock.enableNetConnect("127.0.0.1");
  nock.cleanAll();
  nock("https://slack.com")
    .persist()
    .post(/^\/api\/.+/)
    .reply((uri, body) => {
      const form = Object.fromEntries(
        new URLSearchParams(
          typeof body === "string" ? body : new URLSearchParams(body as Record<string, string>).toString(),
        ),
      );
      const answer = slack.call(uri.replace("/api/", ""), form);
      if (answer.lost) return [502, "bad gateway"];
      return [answer.status, answer.body as nock.Body, answer.headers ?? {}];
    });
}
