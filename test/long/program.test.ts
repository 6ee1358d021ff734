// The built program against a Slack of its own: killed, stopped, started again.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buttons, createFakeSlack, type FakeSlack, textOf } from "../../src/demo/fake/slack.ts";
import type { FakeElement } from "../../src/demo/fake/world.ts";
import { CASCADE, fenced } from "../slack/logs.ts";
import { MANIFEST } from "../slack/manifest.ts";
import { build, type Program, start } from "../slack/program.ts";

let slack: FakeSlack;
let http: Record<string, string>;
let socket: Record<string, string>;
const running = new Set<Program>();

beforeAll(build, 120_000);
beforeEach(async () => {
  slack = await createFakeSlack({ manifest: MANIFEST, retryMs: [0, 500, 1000] });
  const both = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_API_URL: slack.apiUrl,
    FIRSTFAULT_DATA: mkdtempSync(join(tmpdir(), "firstfault-")),
  };
  http = { ...both, SLACK_SIGNING_SECRET: slack.signingSecret };
  socket = { ...both, SLACK_APP_TOKEN: slack.appToken };
});
afterEach(async () => {
  for (const program of running) await program.kill("SIGKILL");
  running.clear();
  await slack.close();
  expect(slack.refusals).toEqual([]);
});

async function up(env: Record<string, string>): Promise<Program> {
  const program = await start(env);
  running.add(program);
  if (env === http) slack.listenAt(`http://127.0.0.1:${program.port}/slack/events`);
  return program;
}

async function until(what: () => boolean, ms = 40_000): Promise<void> {
  for (let waited = 0; !what(); waited += 20) {
    if (waited > ms) throw new Error(`waited in vain for ${what}`);
    await sleep(20);
  }
}

function answers(): FakeElement[] {
  return buttons(slack.posted()[0]).filter((element) => element.action_id?.startsWith("answer:"));
}

const log = (): Promise<string> => slack.say(fenced(CASCADE));
const click = (): Promise<unknown> => slack.click(slack.posted()[0], answers()[0] ?? {});
const metadata = (): Record<string, unknown> => slack.posted()[0]?.metadata?.event_payload ?? {};

describe("kill -9", { timeout: 120_000 }, () => {
  it("between receipt and answer loses nothing and doubles nothing", async () => {
    const program = await up(http);
    slack.hold("chat.postMessage");
    await log();
    expect(slack.deliveries[0]?.outcome).toBe("acknowledged");
    await sleep(300);
    await program.kill("SIGKILL");
    expect(slack.posted()).toEqual([]);
    slack.release("chat.postMessage");

    await up(http);

    await until(() => slack.posted().length > 0);
    await sleep(300);
    expect(slack.posted()).toHaveLength(1);
    expect(textOf(slack.posted()[0])).toMatch(/[Rr]ank 37/);
  });

  it("after Slack had the message and before we heard so, does not post it twice", async () => {
    const program = await up(http);
    const ts = await log();
    await until(() => slack.posted().length > 0);
    // At any moment from here on; the answer may or may not have been written down.
    await program.kill("SIGKILL");

    await up(http);
    await slack.event({
      type: "message",
      channel: "C1",
      channel_type: "channel",
      user: "U1",
      ts,
      text: fenced(CASCADE),
    });

    await sleep(1000);
    expect(slack.posted()).toHaveLength(1);
  });

  it("between two clicks keeps the first, and goes on with the second", async () => {
    const program = await up(http);
    await log();
    await until(() => answers().length > 0);
    const first = metadata().step;
    await click();
    await until(() => metadata().step !== first);
    const second = metadata().step;
    await program.kill("SIGKILL");

    await up(http);
    expect(metadata().step).toBe(second);
    await click();

    await until(() => metadata().step !== second);
    expect(metadata().seq).toBe(2);
    expect(slack.posted()).toHaveLength(1);
  });

  it("between a click and its answer shows the click once after the restart", async () => {
    const program = await up(http);
    await log();
    await until(() => answers().length > 0);
    slack.hold("chat.update");
    expect(await click()).toMatchObject({ outcome: "acknowledged" });
    await sleep(300);
    await program.kill("SIGKILL");
    slack.release("chat.update");
    expect(metadata().seq).toBe(0);

    await up(http);

    await until(() => metadata().seq === 1);
    expect(slack.whispers()).toEqual([]);
  });
});

describe("a command and a shortcut", { timeout: 120_000 }, () => {
  it.each(["http", "socket"])("that a kill interrupts are worked on after the restart, once (%s)", async (mode) => {
    const env = mode === "http" ? http : socket;
    const program = await up(env);
    if (mode === "socket") await until(() => slack.sockets() === 2);
    const ts = slack.sayUnheard(fenced(CASCADE), { channel: "C2", user: "U2" });
    const message = slack.world.find("C2", ts);
    if (!message) throw new Error("nothing was said");
    slack.hold("chat.postMessage");
    await slack.shortcut("diagnose", message);
    await slack.command("/firstfault", `diagnose ${CASCADE}`);
    expect(slack.deliveries.map(({ outcome }) => outcome)).toEqual(["acknowledged", "acknowledged"]);
    await sleep(300);
    await program.kill("SIGKILL");
    slack.release("chat.postMessage");
    expect(slack.posted()).toEqual([]);

    await up(env);

    await until(() => slack.posted("C1").length === 2 && slack.posted("C2").length === 1);
    await sleep(300);
    expect(slack.posted()).toHaveLength(3);
  });
});

describe("a file", { timeout: 120_000 }, () => {
  it("of thirty megabytes is read in a thread of its own, and other messages are answered meanwhile", async () => {
    const step = Array.from({ length: 10_000 }, (_, n) => `step ${n} | loss ${2 + Math.sin(n)}\n`).join("");
    await up(http);

    await slack.say("", { files: [{ name: "job.log.gz", content: gzipSync(`${step.repeat(100)}${CASCADE}\n`) }] });
    await slack.say(fenced(CASCADE), { user: "U2", channel: "C2" });

    await until(() => slack.posted().length === 2);
    expect(slack.posted("C1").map((one) => textOf(one))).toEqual([
      expect.stringMatching(/[Rr]ank 37.*line 1.000.003/s),
    ]);
  });

  it("that is being fetched at a kill is fetched again, and answered once", async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    async function* content(): AsyncIterable<Uint8Array> {
      yield Buffer.from(`${CASCADE}\n`);
      await gate;
    }
    const program = await up(http);
    await slack.say("", { files: [{ name: "job.log", content }] });
    await until(() => slack.downloads.length === 1);
    await program.kill("SIGKILL");
    open();

    await up(http);

    await until(() => slack.posted().length > 0);
    await sleep(300);
    expect(slack.posted()).toHaveLength(1);
    expect(slack.downloads).toHaveLength(2);
  });
});

describe("Socket Mode", { timeout: 120_000 }, () => {
  it("answers a log, over two sockets, through a routine refresh", async () => {
    const program = await up(socket);
    await until(() => slack.sockets() === 2);
    expect(await program.healthz()).toBe(200);
    expect(program.err()).toMatch(/^firstfault: ready, Socket Mode, port \d+, store sqlite .*, playbooks .*oom.*\n$/);

    slack.refresh();
    await log();

    await until(() => answers().length > 0);
    await click();
    await until(() => metadata().seq === 1);
    await until(() => slack.sockets() === 2);
    expect(slack.posted()).toHaveLength(1);
  });

  it("lives on after envelopes that hold nothing", async () => {
    await up(socket);
    await until(() => slack.sockets() === 2);

    slack.sendRaw({ envelope_id: "1", type: "events_api", payload: null });
    slack.sendRaw({ envelope_id: "2", type: "events_api", payload: {} });
    slack.sendRaw({ envelope_id: "3", type: "interactive", payload: {} });
    await log();

    await until(() => slack.posted().length === 1);
  });

  it("comes back by itself after Slack was gone", async () => {
    const program = await up(socket);
    await until(() => slack.sockets() === 2);
    const { botToken, appToken, signingSecret, apiUrl } = slack;
    await slack.close();
    await until(() => /socket-down/.test(program.out()));
    expect(await program.healthz()).toBe(503);

    const keys = { botToken, appToken, signingSecret };
    slack = await createFakeSlack({ manifest: MANIFEST, keys, port: Number(new URL(apiUrl).port) });

    await until(() => slack.sockets() > 0, 30_000);
    await log();
    await until(() => slack.posted().length === 1);
  });
});

describe("SIGTERM", { timeout: 120_000 }, () => {
  it.each([["http"], ["socket"]])("finishes what is at work and exits 0 (%s)", async (mode) => {
    const program = await up(mode === "http" ? http : socket);
    await log();
    const began = Date.now();

    expect(await program.kill("SIGTERM")).toBe(0);

    expect(Date.now() - began).toBeLessThan(10_000);
    await up(mode === "http" ? http : socket);
    await until(() => slack.posted().length === 1);
  });

  it("exits 0 within ten seconds even where Slack never answers", async () => {
    const program = await up(http);
    slack.hold("chat.postMessage");
    await log();
    await sleep(200);
    const began = Date.now();

    expect(await program.kill("SIGTERM")).toBe(0);
    expect(Date.now() - began).toBeLessThan(10_000);

    slack.release("chat.postMessage");
    await up(http);
    await until(() => slack.posted().length === 1);
  });
});

describe("the web pages", { timeout: 120_000 }, () => {
  it("are served beside Slack, and a case's message links the step it is at", async () => {
    http = { ...http, FIRSTFAULT_BASE_URL: "https://ff.example.org/" };
    const program = await up(http);
    await log();
    await until(() => slack.posted().length > 0);

    const [linked = ""] = /https:\/\/ff\.example\.org\/[^"]+/.exec(JSON.stringify(slack.posted()[0])) ?? [];
    const { pathname, hash } = new URL(linked);
    const page = await fetch(`http://127.0.0.1:${program.port}${pathname}`);

    expect(String(metadata().step)).toMatch(new RegExp(`${hash}$`));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(`id="${hash.slice(1)}"`);
    expect(await program.healthz()).toBe(200);
  });
});
