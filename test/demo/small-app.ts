// An app of a few lines in the fake workspace: it may do everything the fake knows, and notes what it hears.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { webApi } from "@slack/bolt";
import { createFakeSlack, type FakeSlack, type FakeSlackOptions } from "../../src/demo/fake/slack.ts";
import { MANIFEST } from "../slack/manifest.ts";

export type Json = Record<string, unknown>;

const EVERYTHING = {
  ...(MANIFEST as Json),
  features: {
    shortcuts: [{ type: "message", callback_id: "diagnose" }],
    slash_commands: [{ command: "/firstfault" }],
    unfurl_domains: ["firstfault.example.org"],
  },
  oauth_config: {
    scopes: {
      bot: [
        ...["app_mentions:read", "chat:write", "channels:history", "groups:history", "im:history", "channels:read"],
        ...["files:read", "links:read", "links:write", "users:read", "im:write", "commands"],
      ],
    },
  },
  settings: {
    event_subscriptions: {
      bot_events: [
        ...["app_mention", "message.channels", "message.groups", "message.im", "link_shared"],
        ...["member_joined_channel", "channel_left", "channel_archive", "tokens_revoked"],
      ],
    },
  },
};

const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, setName() {}, getLevel: () => "error" };

export interface SmallApp {
  slack: FakeSlack;
  client: webApi.WebClient;
  clientWith(token: string): webApi.WebClient;
  post(more: Json): Promise<unknown>;
  /** Answers over HTTP from now on; `answer` says what it does with each delivery. */
  listen(answer?: (n: number) => { status?: number; after?: number; body?: unknown }): Promise<void>;
  heard: { body: Json; retry: string | undefined }[];
  events(): Json[];
  close(): Promise<void>;
}

export async function openApp(options: Partial<FakeSlackOptions> = {}): Promise<SmallApp> {
  const slack = await createFakeSlack({
    manifest: EVERYTHING,
    retryMs: [0, 10, 20],
    second: 20,
    triggerMs: 60_000,
    ...options,
  });
  const heard: SmallApp["heard"] = [];
  let server: Server | undefined;
  const clientWith = (token: string): webApi.WebClient =>
    new webApi.WebClient(token, {
      slackApiUrl: slack.apiUrl,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logger: quiet as unknown as NonNullable<webApi.WebClientOptions["logger"]>,
    });
  const client = clientWith(slack.botToken);
  return {
    slack,
    client,
    clientWith,
    heard,
    events: () => heard.map(({ body }) => body.event as Json),
    post: (more) => client.chat.postMessage({ channel: "C1", text: "x", ...more } as webApi.ChatPostMessageArguments),
    async listen(answer = () => ({})) {
      server = createServer((request, response) => {
        let body = "";
        request.on("data", (chunk) => {
          body += chunk;
        });
        request.on("end", async () => {
          const form = new URLSearchParams(body);
          const parsed = body.startsWith("{") ? JSON.parse(body) : JSON.parse(form.get("payload") ?? "null");
          const retry = request.headers["x-slack-retry-num"] as string | undefined;
          heard.push({ body: parsed ?? Object.fromEntries(form), retry });
          const { status = 200, after = 0, body: said } = answer(heard.length);
          await sleep(after);
          response.writeHead(status).end(said === undefined ? "" : JSON.stringify(said));
        });
      });
      await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
      slack.listenAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`);
    },
    async close() {
      await slack.close();
      server?.closeAllConnections();
      server?.close();
    },
  };
}

/** "ok", or Slack's word for what it refused. */
export async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "ok";
  } catch (error) {
    const { data, code } = error as { data?: { error?: string }; code?: string };
    return data?.error ?? code ?? String(error);
  }
}

export const plain = (text: string): Json => ({ type: "plain_text", text });
export const button = (more: Json = {}): Json => ({ type: "button", action_id: "a", text: plain("Go"), ...more });
export const actions = (...elements: Json[]): Json => ({ type: "actions", elements });
export const section = (text: string): Json => ({ type: "section", text: { type: "mrkdwn", text } });
