// Wires configuration, catalog, store and Slack; starts and stops them. Failures at start are said so that an operator
// knows what to do.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readCasePath } from "./case/address.ts";
import { type Cases, createCases } from "./case/case.ts";
import type { Catalog } from "./catalog.ts";
import { type Config, type SettingProblem, slackProblems } from "./config.ts";
import { redact } from "./diagnose/redact.ts";
import { createMetrics } from "./metrics.ts";
import { createNetwork } from "./network.ts";
import { createRead } from "./reading/read.ts";
import { createRoutes } from "./routes.ts";
import { createBot, type Installation, whoAmI } from "./slack/app.ts";
import { createHttp, EVENTS_PATH } from "./slack/http.ts";
import type { InboxReceiver } from "./slack/inbox-receiver.ts";
import { createSockets } from "./slack/socket.ts";
import { isOperators, sayStart } from "./start-problem.ts";
import { createCandidateStore } from "./store/candidates.ts";
import { createCaseStore } from "./store/cases.ts";
import { createChannelStore } from "./store/channels.ts";
import { type Database, openDatabase } from "./store/database.ts";
import { createInbox } from "./store/inbox.ts";
import { createMessageStore } from "./store/outbox.ts";
import { createRetention, type Retention } from "./store/retention.ts";
import { createTelemetry, type Happened, type Telemetry } from "./telemetry.ts";
import { createWeb } from "./web/node.ts";
import { createSite } from "./web/site.ts";

export interface Serving {
  config: Config;
  problems: SettingProblem[];
  catalog: Catalog;
  err?: (text: string) => void;
  /** Stops the service as a signal would. */
  until?: AbortSignal;
  /** Where it listens; on every address of this machine where nothing is said. */
  host?: string;
  /** Is told everything that happens, as the log is. */
  record?: (happened: Happened) => void;
  /** The least time between two edits of one message; as much as Slack asks for where nothing is said. */
  editPauseMs?: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Of the ten seconds that a stop may take, what work in progress gets. */
const DRAIN_MS = 5000;

/** Runs until it is told to stop; the exit code. */
export async function serve(serving: Serving): Promise<number> {
  const { config, problems, catalog, until, err = toStderr, host, record, editPauseMs } = serving;
  const wrong = [...problems, ...slackProblems(config)];
  if (wrong.length > 0) {
    err(`firstfault serve: ${wrong.length === 1 ? "one setting is" : `${wrong.length} settings are`} not right:\n`);
    for (const { name, say } of wrong) err(`  ${name} ${say} [config]\n`);
    return 2;
  }
  const log = createTelemetry(config.logLevel);
  const telemetry: Telemetry = {
    ...log,
    record(happened) {
      log.record(happened);
      record?.(happened);
    },
  };
  const stopped = stopSignal(until);
  const stray = (error: unknown): void => telemetry.record({ kind: "stray-failure", error });
  // A library's forgotten promise must not take the process down.
  process.on("unhandledRejection", stray);
  try {
    return await run({ config, catalog, telemetry, stopped, err, host, editPauseMs });
  } catch (error) {
    err(`firstfault serve: ${sayStart(error, config)}\n`);
    return isOperators(error) ? 2 : 3;
  } finally {
    process.off("unhandledRejection", stray);
    stopped.forget();
  }
}

interface Running {
  config: Config;
  catalog: Catalog;
  telemetry: Telemetry;
  stopped: StopSignal;
  err(text: string): void;
  host: string | undefined;
  editPauseMs: number | undefined;
}

async function run({ config, catalog, telemetry, stopped, err, host, editPauseMs }: Running): Promise<number> {
  const { bolt: logger } = telemetry;
  const { botToken, appToken, signingSecret, apiUrl } = config.slack;
  const database = await openDatabase(
    config.databaseUrl ? { url: config.databaseUrl } : { file: join(config.data, "firstfault.db") },
  );
  try {
    const calls = new AbortController();
    const network = createNetwork(config);
    const fetch = cutBy(calls.signal, network.fetch);
    const installation = await whoAmI({ token: botToken ?? "", apiUrl, logger, fetch });
    const cases = casesOn(database, catalog);
    const read = createRead(catalog.rules);
    // The first reading makes what all others use; nobody who pastes should wait for that, nor Slack.
    await read({ text: "[rank0]: RuntimeError", files: [], message: "" });
    const deliveries = createInbox(database);
    const messages = createMessageStore(database);
    const metrics = createMetrics({
      inbox: deliveries.counts,
      outbox: messages.depth,
      sockets: () => sockets?.standing() ?? 0,
    });
    const record: Telemetry["record"] = (happened) => {
      telemetry.record(happened);
      metrics.record(happened);
    };
    const retention = createRetention(database);
    const inbox = createBot({
      botToken: botToken ?? "",
      apiUrl,
      installation,
      cases,
      playbooks: catalog.playbooks,
      deliveries,
      messages,
      candidates: createCandidateStore(database),
      channels: createChannelStore(database),
      read,
      redact,
      forget: retention.forgetMessage,
      record,
      logger,
      fetch,
      language: config.lang,
      baseUrl: config.baseUrl,
      now: () => new Date(),
      sleep: async (ms) => sleep(ms, undefined, { ref: false }),
      ...(editPauseMs === undefined ? {} : { editPauseMs }),
      newReference,
    });
    const sockets = appToken
      ? createSockets({
          appToken,
          apiUrl,
          inbox,
          logger,
          record,
          fetch,
          dispatcher: network.dispatcher,
          sleep: (ms) => sleep(ms, undefined, { ref: false }),
        })
      : null;
    const slack = sockets ? null : createHttp({ signingSecret: signingSecret ?? "", inbox, logger, record });

    let ready = false;
    const server = createServer((request, response) => void route(request, response));
    const port = await listenOn(server, config.port, host);
    const route = createRoutes({
      ready: () => ready,
      healthy: () => ready && (sockets?.up() ?? true),
      store: database.ping,
      metrics,
      slack: slack && { path: EVENTS_PATH, answer: slack },
      caseAt: (path) => caseAt(path, cases, installation),
      web: createWeb({
        site: createSite(catalog.playbooks),
        language: config.lang,
        baseUrl: config.baseUrl,
        loopback: isLoopback(server),
        failed(error) {
          const reference = newReference();
          record({ kind: "page-failed", reference, error });
          return reference;
        },
      }),
    });
    try {
      await sockets?.start();
      ready = true;
      const left = (await deliveries.leftovers()).length;
      if (left > 0) record({ kind: "left-over", deliveries: left });
      const feeding = inbox.feed();
      const sweeping = sweep(retention, deliveries, config, record);
      err(startLine({ config, port, store: database.name, catalog }));
      record({
        kind: "started",
        mode: sockets ? "socket" : "http",
        port,
        store: database.name,
        playbooks: catalog.playbooks.size,
        broken: catalog.broken.map(({ id }) => id),
      });
      record({ kind: "stopping", signal: await stopped.signal });
      ready = false;
      clearInterval(sweeping);
      await feedNoMore(sockets, inbox, feeding);
      calls.abort();
    } finally {
      ready = false;
      await sockets?.stop();
      await closed(server);
    }
    record({ kind: "stopped" });
    return 0;
  } finally {
    await database.close();
  }
}

/** fetch, until it is cut: a call that Slack never answers must not keep a stopped process alive. */
function cutBy(signal: AbortSignal, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (url, init) =>
    fetch(url, { ...init, signal: AbortSignal.any([signal, ...(init?.signal ? [init.signal] : [])]) });
}

/** What a person is told where something failed, and what the log says beside the cause. */
function newReference(): string {
  return `ff-${randomBytes(3).toString("hex")}`;
}

function casesOn(database: Database, { playbooks, rules }: Catalog) {
  return createCases({
    store: createCaseStore(database),
    playbooks,
    rules: rules.version,
    now: () => new Date(),
    newId: () => randomUUID(),
    hash: (text) => createHash("sha256").update(text).digest("hex"),
  });
}

/** The thread of a case; Slack decides who may see it. A proxy may leave the path of the public address in front or not. */
async function caseAt(path: string, cases: Cases, { team, url }: Installation): Promise<string | null> {
  const to = readCasePath(path.slice(path.lastIndexOf("/case/") + 1));
  const found = to && (await cases.load({ team, id: to.id }));
  if (!found) return null;
  const { channel, thread } = found.place;
  return `${url}archives/${channel}/p${thread.replace(".", "")}`;
}

/** Takes nothing new, finishes what is at work; what is left is written down and fed at the next start. */
async function feedNoMore(
  sockets: { stop(): Promise<void> } | null,
  inbox: InboxReceiver,
  feeding: Promise<void>,
): Promise<void> {
  await sockets?.stop();
  await inbox.drain(DRAIN_MS);
  await Promise.race([feeding, sleep(100)]);
}

/** At start and every hour: what is worked on is forgotten, what is old is deleted. */
function sweep(
  retention: Retention,
  inbox: ReturnType<typeof createInbox>,
  config: Config,
  record: Telemetry["record"],
): NodeJS.Timeout {
  const once = async (): Promise<void> => {
    const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
    try {
      await inbox.purge({ done: ago(1), failed: ago(7) });
      record({ kind: "swept", cases: await retention.expire(ago(config.retentionDays)) });
    } catch (error) {
      record({ kind: "sweep-failed", error });
    }
  };
  void once();
  return setInterval(() => void once(), 60 * 60 * 1000).unref();
}

function startLine(at: { config: Config; port: number; store: string; catalog: Catalog }): string {
  const { config, port, store, catalog } = at;
  const mode = config.slack.appToken ? "Socket Mode" : `HTTP at ${EVENTS_PATH}`;
  const broken = catalog.broken.map(({ id }) => id);
  const left = broken.length > 0 ? `; left out, see "firstfault playbook check": ${broken.join(", ")}` : "";
  return `firstfault: ready, ${mode}, port ${port}, store ${store}, playbooks ${[...catalog.playbooks.keys()].join(", ")}${left}\n`;
}

function listenOn(server: Server, port: number, host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, ...(host ? { host } : {}) }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Bound to this machine only. */
function isLoopback(server: Server): boolean {
  return /^(?:127\.|::1$)/.test((server.address() as AddressInfo).address);
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A client that keeps its connection open does not keep us.
  await Promise.race([done, sleep(500)]);
  server.closeAllConnections();
}

interface StopSignal {
  signal: Promise<string>;
  forget(): void;
}

function stopSignal(until: AbortSignal | undefined): StopSignal {
  let stop: (signal: string) => void = () => {};
  const signal = new Promise<string>((resolve) => {
    stop = resolve;
  });
  const onTerm = (): void => stop("SIGTERM");
  const onInt = (): void => stop("SIGINT");
  process.once("SIGTERM", onTerm);
  process.once("SIGINT", onInt);
  until?.addEventListener("abort", () => stop("abort"));
  return {
    signal,
    forget: () => {
      process.off("SIGTERM", onTerm);
      process.off("SIGINT", onInt);
    },
  };
}

function toStderr(text: string): void {
  process.stderr.write(text);
}
