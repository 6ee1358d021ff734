// What goes wrong between an app and the fake Slack, in both directions.
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { actions, button, errorOf, type Json, openApp, type SmallApp } from "./small-app.ts";

let at: SmallApp;
beforeEach(async () => {
  at = await openApp();
});
afterEach(() => at.close());

describe("the weather", () => {
  it("keeps a channel's door shut until Retry-After is over, and notes who knocks before", async () => {
    at.slack.next("chat.postMessage", { limited: 50 });

    expect(await errorOf(at.post({}))).toBe("slack_webapi_rate_limited_error");
    expect(await errorOf(at.post({}))).toBe("slack_webapi_rate_limited_error");
    expect(await errorOf(at.post({ channel: "C2" }))).toBe("ok");
    await sleep(1020);
    expect(await errorOf(at.post({}))).toBe("ok");

    expect(at.slack.impatient).toEqual([{ method: "chat.postMessage", channel: "C1", early: expect.any(Number) }]);
  });

  it("breaks, stalls, drops and loses answers", async () => {
    at.slack.next("chat.postMessage", { status: 500 }, { error: "fatal_error" }, "dropped", "lost", { stalls: 60 });

    const began = Date.now();
    const errors = [];
    for (const _ of [1, 2, 3, 4, 5]) errors.push(await errorOf(at.post({})));

    expect(errors).toEqual([
      "slack_webapi_http_error",
      "fatal_error",
      "slack_webapi_request_error",
      "slack_webapi_request_error",
      "ok",
    ]);
    expect(Date.now() - began).toBeGreaterThanOrEqual(55);
    // Of these, the lost and the stalled one were done.
    expect(at.slack.posted()).toHaveLength(2);
  });

  it("can be decided call by call", async () => {
    at.slack.storm((method, channel) => (method === "chat.postMessage" && channel === "C2" ? { status: 503 } : null));

    expect([await errorOf(at.post({})), await errorOf(at.post({ channel: "C2" }))]).toEqual([
      "ok",
      "slack_webapi_http_error",
    ]);
  });
});

describe("a delivery", () => {
  it("that is not acknowledged in time comes again, three times at most", async () => {
    await at.close();
    at = await openApp({ ackMs: 100 });
    await at.listen(() => ({ after: 300 }));

    await at.slack.say("hello");

    expect(at.heard.map(({ retry }) => retry)).toEqual([undefined, "1", "2", "3"]);
    expect(at.slack.deliveries[0]).toMatchObject({ outcome: "given up", retries: Array(3).fill("http_timeout") });
  });

  it("that fails comes again until it is taken", async () => {
    await at.listen((n) => ({ status: n === 1 ? 500 : 200 }));

    await at.slack.say("hello");

    expect(at.slack.deliveries[0]).toMatchObject({ outcome: "acknowledged", retries: ["http_error"] });
  });

  it("of a click comes once, and the person sees that it failed", async () => {
    await at.listen(() => ({ status: 500 }));
    await at.post({ text: "x", blocks: [actions(button())] });
    await at.slack.idle();
    const before = at.heard.length;

    const delivery = await at.slack.click(at.slack.posted()[0], { type: "button", action_id: "a" });

    expect([at.heard.length - before, delivery.outcome]).toEqual([1, "given up"]);
  });

  it("comes twice, or in another order, where a test says so", async () => {
    await at.listen();

    at.slack.duplicate();
    await at.slack.say("one");
    await at.slack.outOfOrder(async () => {
      await at.slack.say("two");
      await at.slack.say("three");
    });

    expect(at.events().map((one) => one.text)).toEqual(["one", "one", "three", "two"]);
  });
});

describe("a socket", () => {
  async function connect(): Promise<{ socket: WebSocket; got: Json[] }> {
    const opener = at.clientWith(at.slack.appToken);
    const { url = "" } = await opener.apps.connections.open({});
    const socket = new WebSocket(url);
    const got: Json[] = [];
    socket.onmessage = ({ data }) => {
      const said = JSON.parse(String(data)) as Json;
      got.push(said);
      if (said.envelope_id && said.retry_attempt !== undefined)
        socket.send(JSON.stringify({ envelope_id: said.envelope_id }));
    };
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    return { socket, got };
  }

  it("gets an envelope again that it did not acknowledge", async () => {
    await at.close();
    at = await openApp({ ackMs: 500 });
    const { socket, got } = await connect();

    await at.slack.say("hello");

    expect(got.map(({ type, retry_attempt }) => [type, retry_attempt])).toEqual([
      ["hello", undefined],
      ["events_api", undefined],
      ["events_api", 1],
    ]);
    socket.close();
  });

  it("is told to go while the next one stands, and gets nothing more", async () => {
    const first = await connect();
    const second = await connect();
    expect(at.slack.sockets()).toBe(2);

    at.slack.refresh();
    await at.slack.say("hello");

    expect(first.got.map(({ type }) => type)).toEqual(["hello", "disconnect"]);
    expect(second.got.some(({ type }) => type === "events_api")).toBe(true);
    first.socket.close();
    second.socket.close();
  });
});
