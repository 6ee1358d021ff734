// The built program against a Slack of its own: killed, stopped, started again.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeServer, serveFakeSlack } from "../slack/fake-server.ts";
import { createFakeSlack, elementsOf, type FakeElement, type FakeSlack, textOf } from "../slack/fake-slack.ts";
import { CASCADE, escaped } from "../slack/logs.ts";
import { build, type Program, SECRET, start } from "../slack/program.ts";

let slack: FakeSlack;
let server: FakeServer;
let http: Record<string, string>;
let socket: Record<string, string>;
const running = new Set<Program>();

beforeAll(build, 120_000);
beforeEach(async () => {
  slack = createFakeSlack();
  server = await serveFakeSlack(slack);
  const both = {
    SLACK_BOT_TOKEN: "xoxb-test",
    SLACK_API_URL: server.url,
    FIRSTFAULT_DATA: mkdtempSync(join(tmpdir(), "firstfault-")),
  };
  http = { ...both, SLACK_SIGNING_SECRET: SECRET };
  socket = { ...both, SLACK_APP_TOKEN: "xapp-test" };
});
afterEach(async () => {
  for (const program of running) await program.kill("SIGKILL");
  running.clear();
  await server.close();
  expect(slack.problems).toEqual([]);
});

async function up(env: Record<string, string>): Promise<Program> {
  const program = await start(env);
  running.add(program);
  return program;
}

async function until(what: () => boolean, ms = 40_000): Promise<void> {
  for (let waited = 0; !what(); waited += 20) {
    if (waited > ms) throw new Error(`waited in vain for ${what}`);
    await sleep(20);
  }
}

function log(id = "Ev1", ts = "100.1"): object {
  const text = escaped(CASCADE);
  const event = { type: "message", channel: "C1", channel_type: "channel", user: "U1", ts, text };
  slack.said({ channel: "C1", ts, user: "U1", text });
  return { type: "event_callback", team_id: "T1", event_id: id, event };
}

function answers(): FakeElement[] {
  return elementsOf(slack.posted()[0]).filter((element) => element.action_id?.startsWith("answer:"));
}

function click(element: FakeElement | undefined, at: string): object {
  const [message] = slack.posted();
  return {
    type: "block_actions",
    team: { id: "T1" },
    user: { id: "U1", name: "wei", team_id: "T1" },
    container: { type: "message", message_ts: message?.ts, channel_id: "C1", thread_ts: message?.thread_ts },
    channel: { id: "C1" },
    message: { ts: message?.ts, thread_ts: message?.thread_ts },
    actions: [{ ...element, action_ts: at }],
  };
}

const metadata = (): Record<string, unknown> => slack.posted()[0]?.metadata?.event_payload ?? {};

describe("kill -9", { timeout: 120_000 }, () => {
  it("between receipt and answer loses nothing and doubles nothing", async () => {
    const program = await up(http);
    server.hold("chat.postMessage");
    expect(await program.post(log())).toBe(200);
    await sleep(300);
    await program.kill("SIGKILL");
    expect(slack.posted()).toEqual([]);
    server.hold(null);

    await up(http);

    await until(() => slack.posted().length > 0);
    await sleep(300);
    expect(slack.posted()).toHaveLength(1);
    expect(textOf(slack.posted()[0])).toMatch(/[Rr]ank 37/);
  });

  it("after Slack had the message and before we heard so, does not post it twice", async () => {
    const program = await up(http);
    await program.post(log());
    await until(() => slack.posted().length > 0);
    // At any moment from here on; the answer may or may not have been written down.
    await program.kill("SIGKILL");

    const again = await up(http);
    await again.post(log("Ev2"));

    await sleep(1000);
    expect(slack.posted()).toHaveLength(1);
  });

  it("between two clicks keeps the first, and goes on with the second", async () => {
    const program = await up(http);
    await program.post(log());
    await until(() => answers().length > 0);
    const first = metadata().step;
    await program.post(click(answers()[0], "1.1"), true);
    await until(() => metadata().step !== first);
    const second = metadata().step;
    await program.kill("SIGKILL");

    const again = await up(http);
    expect(metadata().step).toBe(second);
    await again.post(click(answers()[0], "1.2"), true);

    await until(() => metadata().step !== second);
    expect(metadata().seq).toBe(2);
    expect(slack.posted()).toHaveLength(1);
  });

  it("between a click and its answer shows the click once after the restart", async () => {
    const program = await up(http);
    await program.post(log());
    await until(() => answers().length > 0);
    server.hold("chat.update");
    expect(await program.post(click(answers()[0], "1.1"), true)).toBe(200);
    await sleep(300);
    await program.kill("SIGKILL");
    server.hold(null);
    expect(metadata().seq).toBe(0);

    await up(http);

    await until(() => metadata().seq === 1);
    expect(slack.messages.filter((one) => one.ephemeral)).toEqual([]);
  });
});

describe("Socket Mode", { timeout: 120_000 }, () => {
  it("answers a log, over two sockets, through a routine refresh", async () => {
    const program = await up(socket);
    await until(() => server.sockets() === 2);
    expect(await program.healthz()).toBe(200);
    expect(program.err()).toMatch(/^firstfault: ready, Socket Mode, port \d+, store sqlite .*, playbooks .*oom.*\n$/);

    server.refresh();
    await server.send(log());

    await until(() => answers().length > 0);
    await server.send(click(answers()[0], "1.1"), "interactive");
    await until(() => metadata().seq === 1);
    await until(() => server.sockets() === 2);
    expect(slack.posted()).toHaveLength(1);
  });

  it("lives on after envelopes that hold nothing", async () => {
    await up(socket);
    await until(() => server.sockets() === 2);

    void server.send(null as never, "events_api");
    void server.send({}, "events_api");
    void server.send({}, "interactive");
    await server.send(log());

    await until(() => slack.posted().length === 1);
  });

  it("comes back by itself after Slack was gone", async () => {
    const program = await up(socket);
    await until(() => server.sockets() === 2);
    const { port } = new URL(server.url);
    await server.close();
    await until(() => /socket-down/.test(program.out()));
    expect(await program.healthz()).toBe(503);

    server = await serveFakeSlack(slack, Number(port));

    await until(() => server.sockets() > 0, 30_000);
    await server.send(log());
    await until(() => slack.posted().length === 1);
  });
});

describe("SIGTERM", { timeout: 120_000 }, () => {
  it.each([["http"], ["socket"]])("finishes what is at work and exits 0 (%s)", async (mode) => {
    const program = await up(mode === "http" ? http : socket);
    if (mode === "http") await program.post(log());
    else await server.send(log());
    const began = Date.now();

    expect(await program.kill("SIGTERM")).toBe(0);

    expect(Date.now() - began).toBeLessThan(10_000);
    await up(mode === "http" ? http : socket);
    await until(() => slack.posted().length === 1);
  });

  it("exits 0 within ten seconds even where Slack never answers", async () => {
    const program = await up(http);
    server.hold("chat.postMessage");
    await program.post(log());
    await sleep(200);
    const began = Date.now();

    expect(await program.kill("SIGTERM")).toBe(0);
    expect(Date.now() - began).toBeLessThan(10_000);

    server.hold(null);
    await up(http);
    await until(() => slack.posted().length === 1);
  });
});
