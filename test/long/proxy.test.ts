// The built program in a network that lets it out through a proxy only, where TLS is by an authority of the company's own.
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buttons, createFakeSlack, type FakeSlack } from "../../src/demo/fake/slack.ts";
import { CASCADE, fenced } from "../slack/logs.ts";
import { MANIFEST } from "../slack/manifest.ts";
import { build, type Program, runToEnd, start } from "../slack/program.ts";

const PEMS = join(import.meta.dirname, "certificates");
const pem = (name: string): string => readFileSync(join(PEMS, name), "utf8");

let slack: FakeSlack;
let front: Server;
let proxy: Server;
/** Where the proxy was asked to connect to. */
let asked: string[];
let program: Program | null;

beforeAll(build, 120_000);
beforeEach(async () => {
  slack = await createFakeSlack({ manifest: MANIFEST });
  front = await tlsBefore(slack);
  asked = [];
  proxy = await openProxy(asked);
  program = null;
});
afterEach(async () => {
  await program?.kill("SIGTERM");
  for (const server of [front, proxy]) {
    server.close();
    server.closeAllConnections();
  }
  await slack.close();
  expect(slack.refusals).toEqual([]);
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function listening(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** TLS in front of the fake, which speaks none: calls, and the sockets whose address it gives. */
async function tlsBefore({ apiUrl }: FakeSlack): Promise<Server> {
  const to = new URL(apiUrl);
  const server = createTlsServer({ key: pem("server.key"), cert: pem("server.pem") }, (incoming, outgoing) => {
    const passed = request({ ...target(incoming, to), agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const { host } = incoming.headers;
        const body = Buffer.concat(chunks).toString().replace(`ws://${to.host}`, `wss://${host}`);
        outgoing.writeHead(answer.statusCode ?? 500, { "content-type": "application/json" }).end(body);
      });
    });
    incoming.pipe(passed);
  });
  server.on("upgrade", (incoming, socket) => {
    const passed = request({ ...target(incoming, to), agent: false });
    passed.on("upgrade", (answer, there, head) => {
      const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join("")}\r\n`);
      socket.write(head);
      socket.pipe(there).pipe(socket);
      for (const one of [socket, there]) one.on("error", () => {});
    });
    passed.end();
  });
  return listening(server as unknown as Server);
}

function target({ url = "/", method = "GET", headers }: IncomingMessage, { hostname, port }: URL) {
  return { host: hostname, port, path: url, method, headers };
}

/** Knows where slack.test is, which nobody else does. */
function openProxy(log: string[]): Promise<Server> {
  const server = createServer((_incoming, outgoing) => outgoing.writeHead(405).end());
  server.on("connect", ({ url = "" }: IncomingMessage, socket) => {
    log.push(url);
    const there = connect(Number(url.split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.pipe(there).pipe(socket);
    });
    for (const one of [socket, there]) one.on("error", () => {});
  });
  return listening(server);
}

function settings(host: string, more: Record<string, string>): Record<string, string> {
  return {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: `https://${host}:${portOf(front)}/api/`,
    FIRSTFAULT_DATA: mkdtempSync(join(tmpdir(), "firstfault-")),
    NODE_EXTRA_CA_CERTS: join(PEMS, "authority.pem"),
    ...more,
  };
}

async function until(what: () => boolean): Promise<void> {
  for (let waited = 0; !what(); waited += 20) {
    if (waited > 20_000) throw new Error(`waited in vain for ${what}`);
    await sleep(20);
  }
}

/** A log is answered and a click on the answer changes it: sockets both ways, and the Web API. */
async function answers(): Promise<void> {
  await until(() => slack.sockets() === 2);
  await slack.say(fenced(CASCADE));
  await until(() => slack.posted().length === 1);
  await slack.click(slack.posted()[0], buttons(slack.posted()[0])[0] ?? {});
  await until(() => slack.posted()[0]?.metadata?.event_payload.seq === 1);
}

describe("behind a proxy", { timeout: 60_000 }, () => {
  it("calls and sockets go through it, and trust the company's own authority", async () => {
    const HTTPS_PROXY = `http://127.0.0.1:${portOf(proxy)}`;
    program = await start(settings("slack.test", { HTTPS_PROXY }));

    await answers();

    expect(new Set(asked)).toEqual(new Set([`slack.test:${portOf(front)}`]));
    expect(asked.length).toBeGreaterThan(2);
  });

  it("what NO_PROXY names is called straight", async () => {
    const HTTPS_PROXY = "http://127.0.0.1:1";
    program = await start(settings("127.0.0.1", { HTTPS_PROXY, NO_PROXY: "localhost,127.0.0.1" }));

    await answers();

    expect(asked).toEqual([]);
  });

  it("an authority that nobody named is not trusted, and the start says so", async () => {
    const { code, err } = await runToEnd(settings("127.0.0.1", { NODE_EXTRA_CA_CERTS: "" }));

    expect(code).toBe(3);
    expect(err).toContain("Slack cannot be reached at https://127.0.0.1");
  });
});
