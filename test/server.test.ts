// The service as it runs, in this process: what its port answers.
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadCatalog } from "../src/catalog.ts";
import { readConfig } from "../src/config.ts";
import { createFakeSlack, type FakeSlack } from "../src/demo/fake/slack.ts";
import { createRoutes, type Routes } from "../src/routes.ts";
import { serve } from "../src/server.ts";
import { CASCADE, fenced } from "./slack/logs.ts";
import { MANIFEST } from "./slack/manifest.ts";

const catalog = await loadCatalog();

let slack: FakeSlack;
let stop: AbortController;
let serving: Promise<number>;
let base: string;
let happened: string[];

beforeEach(async () => {
  slack = await createFakeSlack({ manifest: MANIFEST });
  const { config, problems } = readConfig({
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    FIRSTFAULT_DATA: mkdtempSync(join(tmpdir(), "firstfault-")),
    LOG_LEVEL: "silent",
    PORT: "0",
  });
  stop = new AbortController();
  happened = [];
  base = await new Promise<string>((resolve) => {
    const err = (text: string): void => {
      const port = /port (\d+)/.exec(text)?.[1];
      if (port) resolve(`http://127.0.0.1:${port}`);
    };
    const record = ({ kind }: { kind: string }): void => void happened.push(kind);
    serving = serve({ config, problems, catalog, until: stop.signal, host: "127.0.0.1", err, record });
  });
});
afterEach(async () => {
  stop.abort();
  expect(await serving).toBe(0);
  await slack.close();
  expect(slack.refusals).toEqual([]);
});

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await what()); waited += 10) {
    if (waited > 20_000) throw new Error(`waited in vain for ${what}`);
    await sleep(10);
  }
}

async function figures(): Promise<Map<string, number>> {
  const text = await (await fetch(`${base}/metrics`)).text();
  const rows = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(rows.map((row) => [row.slice(0, row.lastIndexOf(" ")), Number(row.slice(row.lastIndexOf(" ") + 1))]));
}

describe("the port", () => {
  it("says that it is ready, and why it is not where the sockets are gone", async () => {
    await until(() => slack.sockets() === 2);
    const ready = await fetch(`${base}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([200, "ok\n"]);

    slack.storm((method) => (method === "apps.connections.open" ? { status: 503 } : null));
    slack.cutSockets();
    await until(async () => (await fetch(`${base}/healthz`)).status === 503);

    const gone = await fetch(`${base}/readyz`);
    expect([gone.status, await gone.text()]).toEqual([503, "no socket to Slack stands\n"]);
  });

  it("tells the figures of what happened, and nothing of what was said", async () => {
    await until(() => slack.sockets() === 2);
    slack.next("chat.postMessage", { limited: 1 });

    await slack.say(fenced(`${CASCADE} sEcReTwOrD`));
    await slack.say("lunch?");
    await until(() => slack.posted().length === 1);
    await until(async () => (await figures()).get('firstfault_inbox_deliveries{state="working"}') === 0);

    const told = await figures();
    expect(told.get('firstfault_verdicts_total{label="oom",status="confirmed"}')).toBe(1);
    expect(told.get('firstfault_verdicts_total{label="none",status="unknown"}')).toBe(1);
    expect(told.get('firstfault_rate_limited_total{method="chat.postMessage"}')).toBe(1);
    expect(told.get('firstfault_messages_total{what="posted"}')).toBe(1);
    expect(told.get("firstfault_ack_seconds_count")).toBeGreaterThanOrEqual(2);
    expect(told.get("firstfault_verdict_seconds_count")).toBe(2);
    expect(told.get("firstfault_outbox_messages")).toBe(0);
    expect(told.get("firstfault_sockets")).toBe(2);
    expect([...told.keys()].join("\n")).not.toMatch(/sEcReTwOrD|lunch|U1|C1/);
  });
});

it("does not try for ever with a token that was taken away", async () => {
  await until(() => slack.sockets() === 2);

  await slack.revoke();
  slack.cutSockets();

  await until(() => happened.filter((kind) => kind === "socket-refused").length === 2);
  expect((await fetch(`${base}/readyz`)).status).toBe(503);
});

it("leads a case's address to its thread in Slack, and no other address anywhere", async () => {
  await until(() => slack.sockets() === 2);
  const ts = await slack.say(fenced(CASCADE));
  await until(() => slack.posted().length === 1);
  const id = String(slack.posted()[0]?.metadata?.event_payload.case);

  const to = await fetch(`${base}/case/${id}/0`, { redirect: "manual" });
  const nowhere = await fetch(`${base}/case/11111111-2222/0`, { redirect: "manual" });

  expect([to.status, to.headers.get("location")]).toEqual([
    302,
    `https://acme.slack.com/archives/C1/p${ts.replace(".", "")}`,
  ]);
  expect(nowhere.status).toBe(404);
});

describe("where the store is away", () => {
  const away: Routes = {
    healthy: () => true,
    ready: () => true,
    store: () => Promise.reject(new Error("gone")),
    metrics: { text: () => Promise.reject(new Error("gone")), contentType: "text/plain" },
    slack: null,
    caseAt: async () => null,
    web: async () => {},
  };

  it.each(["/readyz", "/metrics"])("%s says so", async (path) => {
    const route = createRoutes(away);
    const server = createServer((request, response) => void route(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;

    const answer = await fetch(`http://127.0.0.1:${port}${path}`);

    expect([answer.status, await answer.text()]).toEqual([503, "the store cannot be reached\n"]);
    server.closeAllConnections();
    server.close();
  });
});
