/**
 * A strict fake of a Slack workspace: the tests' and the demo's one Slack, on loopback, for a bot in this process or in
 * another.
 *
 *   const slack = await createFakeSlack({ manifest });          // the app as manifest.yml asks for it
 *   // the bot gets slack.apiUrl, slack.botToken, and slack.appToken (Socket Mode) or slack.signingSecret (HTTP)
 *   slack.listenAt("http://127.0.0.1:3000/slack/events");       // HTTP; without it, what sockets stand are used
 *   const ts = await slack.say("```" + log + "```");            // by U1 in C1, unless said otherwise
 *   slack.posted();                                             // messages of the bot that everyone sees
 *   slack.whispers("U1");                                       // those that only U1 sees
 *   await slack.click(message, element, { user: "U2" });        // buttons(message) gives the elements
 *   slack.pings();                                              // whom its messages called: "U7", "here"
 *   expect(slack.refusals).toEqual([]);                         // in afterEach: nothing that Slack would refuse
 *   await slack.close();
 *
 * Who is there: U1 wei, U2 ana, U3 lea, U4 tom, U5 ada (admin), U6 kim, U7 sam, U8 eva, all of team T1, and U9 zoe of
 * team T2. C1 training, C2 infra, C3 random (the bot is not in it), C4 with-partner (shared with T2), G1 oncall
 * (private), D1 and D2 direct messages of U1 and U2 with the bot, UBOT.
 *
 * What it does as Slack does:
 * - Only events of the manifest are delivered, of channels the bot is in; only its scopes work; only its commands,
 *   shortcuts and unfurl domains exist. The bot hears its own messages, too. A mention comes as app_mention and as message.
 * - Texts that people type are escaped and linked; Slack's own preview of a link changes the message (message_changed).
 *   A deleted message that has replies becomes a tombstone.
 * - Blocks, texts, metadata and views over a limit are refused with Slack's word, and stand in `refusals`. So does every
 *   call that no weather and no act of a test explains: a missing scope, a wrong token, a trigger used twice, a method that
 *   the fake does not know (methods.ts lists them). `ok: false` that a test brings about (a deleted message, an archived
 *   channel) is not a refusal.
 * - An event not acknowledged within `ackMs` is sent again, at most three times; clicks, commands and modals are not.
 *   `deliveries` tells all of them. A trigger_id lives three seconds and opens one view.
 * - A file is given only to the bot's token; others get Slack's page for signing in, with status 200.
 *
 * What a test can bring about:
 * - next("chat.postMessage", { limited: 2 }, { status: 500 }, { stalls: 5000 }, { error: "x" }, "dropped", "lost"): one
 *   weather a call. storm((method, channel) => weather or null): at every call. hold(method), release(method).
 *   After { limited } the door stays shut until Retry-After is over; who knocks earlier stands in `impatient`.
 * - duplicate(n), outOfOrder(async () => { … }), refresh(), cutSockets().
 * - kick, invite, archive, revoke, remove, edit, sayUnheard.
 * - knock(…) sends a forged request, event(…) and sendRaw(…) anything at all.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { installApp, type Keys } from "./app.ts";
import { createDeliveries, type Deliveries, type Delivery } from "./delivery.ts";
import { createEvents } from "./events.ts";
import { createFiles, type Download } from "./files.ts";
import { type Door, deliverTo, type Knock, knock } from "./front-door.ts";
import { createInteractions, type Interactions } from "./interactions.ts";
import type { Args } from "./method.ts";
import { createMethods } from "./methods.ts";
import { createPeople, type People } from "./people.ts";
import { pingsIn } from "./pings.ts";
import { createResponses } from "./responses.ts";
import { createSockets } from "./sockets.ts";
import { createTriggers } from "./views.ts";
import { createWeather, type WeatherInside, type WeatherReport } from "./weather.ts";
import { type Call, createWebApi, type Refusal } from "./web-api.ts";
import { createWorld, type FakeElement, type FakeMessage, type Json, type OpenView, type World } from "./world.ts";

export interface FakeSlack extends People, Interactions, WeatherReport, Keys {
  /** For SLACK_API_URL. */
  apiUrl: string;
  world: World;
  messages: FakeMessage[];
  /** Modals that are open, and home tabs. */
  views: OpenView[];
  posted(channel?: string): FakeMessage[];
  whispers(user?: string): FakeMessage[];
  /** Whom the bot called, in all it said. */
  pings(): string[];
  calls: Call[];
  refusals: Refusal[];
  impatient: WeatherInside["impatient"];
  downloads: Download[];
  deliveries: Delivery[];
  duplicate: Deliveries["duplicate"];
  outOfOrder: Deliveries["outOfOrder"];
  /** Resolves when nothing is on its way to the bot, and no call of it waits for an answer. */
  idle(): Promise<void>;
  /** The bot listens here: its whole address for events, clicks and commands. */
  listenAt(url: string): void;
  /** One request as it is, signed unless told otherwise; its status. */
  knock(knock: Knock): Promise<number>;
  /** Any event in Slack's envelope. */
  event(event: Json, id?: string): Promise<Delivery>;
  sockets(): number;
  refresh(reason?: "warning" | "refresh_requested"): void;
  cutSockets(): void;
  sendRaw(envelope: unknown): void;
  close(): Promise<void>;
}

export interface FakeSlackOptions {
  /** What manifest.yml holds, parsed. */
  manifest: unknown;
  /** Fewer than the manifest asks for. */
  scopes?: readonly string[];
  keys?: Partial<Keys>;
  /** How long the app has to acknowledge. */
  ackMs?: number;
  /** The pauses before an event is sent again: Slack's are at once, a minute, five minutes. */
  retryMs?: readonly number[];
  /** How many milliseconds one second of a Retry-After lasts. */
  second?: number;
  triggerMs?: number;
  port?: number;
}

export async function createFakeSlack(options: FakeSlackOptions): Promise<FakeSlack> {
  const { manifest, scopes, keys, ackMs = 3000, retryMs = [0, 60_000, 300_000], second = 1000 } = options;
  const world = createWorld();
  const app = installApp(manifest, keys, scopes);
  const weather = createWeather(second);
  let door: Door | null = null;
  let port = 0;
  const base = (): string => `http://127.0.0.1:${port}`;

  const sockets = createSockets(world, () => `ws://127.0.0.1:${port}`);
  const deliveries = createDeliveries({
    send: (parcel) => (door ? deliverTo(door, parcel, ackMs) : sockets.send(parcel, ackMs)),
    retryMs,
  });
  const events = createEvents({ world, app, deliveries });
  const files = createFiles({ world, app, base });
  const triggers = createTriggers(world, options.triggerMs);
  const methods = {
    ...createMethods({ world, heard: events, files }),
    ...triggers.methods,
    ...sockets.methods,
  };
  const api = createWebApi({ world, app, weather, methods });
  const responses = createResponses({ world, refusals: api.refusals, base });
  const people = createPeople({ world, app, events, files });
  const interactions = createInteractions({ world, app, deliveries, triggers, responses, refusals: api.refusals });

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      // Whoever asked went away; anything else is a fault of this file, and shows as a 500.
      if (!response.headersSent) response.writeHead(500).end(String(error));
    });
  });
  server.on("upgrade", sockets.upgrade);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", base());
    if (pathname.startsWith("/files-pri/")) return files.serve(request, response, pathname);
    const bytes = await bytesOf(request);
    if (pathname.startsWith("/upload/")) {
      const sent = await fileIn(request, bytes);
      return void response.writeHead(files.receive(pathname, sent) ? 200 : 400).end("OK");
    }
    const body = bytes.toString();
    if (pathname.startsWith("/actions/"))
      return void response.writeHead(responses.take(pathname, JSON.parse(body) as Json)).end("ok");
    const args: Args = { ...Object.fromEntries(searchParams), ...argsOf(request, body) };
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? String(args.token ?? "");
    const said = await api.call(pathname.replace(/^\/api\//, ""), args, token, () => response.destroyed);
    if (said === "no answer") return void response.destroy();
    response
      .writeHead(said.status, { "content-type": "application/json; charset=utf-8", ...said.headers })
      .end(said.body);
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;

  return {
    ...people,
    ...interactions,
    next: weather.next,
    storm: weather.storm,
    hold: weather.hold,
    release: weather.release,
    impatient: weather.impatient,
    botToken: app.botToken,
    appToken: app.appToken,
    signingSecret: app.signingSecret,
    apiUrl: `${base()}/api/`,
    world,
    messages: world.messages,
    views: world.views,
    posted: (channel) =>
      world.messages.filter(
        (one) => one.user === world.bot.user && !one.ephemeral && (!channel || one.channel === channel),
      ),
    whispers: (user) => world.messages.filter((one) => one.ephemeral && (!user || one.ephemeral === user)),
    pings: () => world.messages.filter((one) => one.user === world.bot.user).flatMap(pingsIn),
    calls: api.calls,
    refusals: api.refusals,
    downloads: files.downloads,
    deliveries: deliveries.all,
    duplicate: deliveries.duplicate,
    outOfOrder: deliveries.outOfOrder,
    async idle() {
      do await deliveries.idle();
      while (api.underWay() > 0 && (await sleep(1, true)));
    },
    listenAt(url) {
      door = { url, signingSecret: app.signingSecret };
    },
    async knock(request) {
      if (!door) throw new Error("the bot listens nowhere: listenAt(url) first");
      return (await knock(door, request, ackMs)).status;
    },
    event: events.raw,
    sockets: sockets.count,
    refresh: sockets.refresh,
    cutSockets: sockets.cut,
    sendRaw: sockets.sendRaw,
    async close() {
      deliveries.stop();
      sockets.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Every text in a message's blocks, as a person would read it. */
export function textOf(message: FakeMessage | undefined): string {
  const texts: string[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(look);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) {
        if (key === "text" && typeof item === "string") texts.push(item);
        else look(item);
      }
  };
  look(message?.blocks);
  return texts.join("\n");
}

/** Buttons and menus of a message. */
export function buttons(message: FakeMessage | undefined): FakeElement[] {
  return (message?.blocks ?? []).filter((block) => block.type === "actions").flatMap((block) => block.elements ?? []);
}

/** Slack takes the bytes as they are, or as the one file of a form. */
async function fileIn(request: IncomingMessage, bytes: Buffer): Promise<Buffer> {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return bytes;
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const [file] = [...form.values()].filter((value) => typeof value !== "string");
  return file ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0);
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function argsOf(request: IncomingMessage, body: string): Args {
  if (!/json/.test(request.headers["content-type"] ?? "")) return Object.fromEntries(new URLSearchParams(body));
  return JSON.parse(body || "{}") as Args;
}
