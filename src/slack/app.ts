// Puts the bot together: Bolt behind the inbox, the case before the outbox.
import { setTimeout as wait } from "node:timers/promises";
import { App, type Logger, webApi } from "@slack/bolt";
import type { CandidateStore } from "../case/candidates.ts";
import type { Cases } from "../case/case.ts";
import type { ChannelStore } from "../case/channels.ts";
import type { DeliveryStore } from "../case/deliveries.ts";
import type { MessageStore } from "../case/messages.ts";
import type { Playbooks } from "../case/walk.ts";
import { slackWordsFor } from "../locale/slack-words.ts";
import type { ReadPaste } from "../reading/read.ts";
import { createAnswering } from "./answering.ts";
import { sayMessage } from "./blocks.ts";
import { createClicking } from "./clicking.ts";
import { createCommanding } from "./commanding.ts";
import { createContents } from "./contents.ts";
import { isObject } from "./delivery.ts";
import { ClosedToUs } from "./failure.ts";
import { createFiles } from "./files.ts";
import { createOpenForm, listenToForms } from "./forms.ts";
import { createGate } from "./gate.ts";
import type { RecordSlack } from "./happened.ts";
import { createInboxReceiver, type InboxReceiver } from "./inbox-receiver.ts";
import { createLinks } from "./links.ts";
import { listen } from "./listeners.ts";
import { bringsPaste, hear, type MessageEvent } from "./message.ts";
import { createOutbox } from "./outbox.ts";
import { createPatience } from "./patience.ts";
import { createSettings } from "./settings.ts";
import { createWrong } from "./wrong.ts";

/** How long Slack may take for one call. */
const CALL_MS = 10_000;
const EDIT_PAUSE_MS = 2000;
/** What takes less needs no word. */
const LONG_MS = 3000;
/** A trigger lives three seconds, and the click took some of them. */
const FORM_MS = 2500;

export interface Installation {
  botUser: string;
  botId: string;
  team: string;
  /** Where people reach the workspace: "https://acme.slack.com/". */
  url: string;
}

export interface BotDeps {
  botToken: string;
  apiUrl: string | null;
  installation: Installation;
  cases: Cases;
  playbooks: Playbooks;
  deliveries: DeliveryStore;
  messages: MessageStore;
  candidates: CandidateStore;
  channels: ChannelStore;
  read: ReadPaste;
  redact(text: string): { text: string };
  forget(message: { team: string; channel: string; ts: string }): Promise<void>;
  record: RecordSlack;
  logger: Logger;
  language: "en" | "zh";
  /** The public address of the web pages, for links to a step. */
  baseUrl: string | null;
  now(): Date;
  /** How calls leave for Slack: the server's own can be cut when it stops. */
  fetch: typeof globalThis.fetch;
  sleep(ms: number): Promise<void>;
  newReference(): string;
  /** The least time between two edits of one message; Slack's own limit for edits is about one a second. */
  editPauseMs?: number;
  /** From when on a reading is said to take long. */
  longMs?: number;
  /** How long Slack may take for one call. */
  callMs?: number;
  /** Milliseconds before the second and the third try of a delivery. */
  pauses?: readonly [number, number];
}

export function createBot(deps: BotDeps): InboxReceiver {
  const { botToken, apiUrl, installation, cases, record, logger, language, now, sleep } = deps;
  const { fetch, whenOpen } = createPatience({ fetch: deps.fetch, sleep, record, timeoutMs: deps.callMs ?? CALL_MS });
  const { client, poster, views } = createClients({ token: botToken, apiUrl, logger, fetch }, deps.fetch);
  const outbox = createOutbox({
    store: deps.messages,
    poster,
    client,
    fetch,
    whenOpen,
    record,
    now,
    sleep,
    newReference: deps.newReference,
    editPauseMs: deps.editPauseMs ?? EDIT_PAUSE_MS,
  });
  const bot = installation.botUser;
  const contents = createContents({ ...deps, client, attach: createFiles({ ...deps, client }), bot });
  const answering = createAnswering({ ...deps, outbox, client, contents, bot, longMs: deps.longMs ?? LONG_MS });
  const openForm = createOpenForm(views, record);
  const wrong = createWrong({ ...deps, outbox, contents, openForm });
  const settings = createSettings({ ...deps, outbox, openForm, client });
  const commanding = createCommanding({ ...deps, answering, outbox, settings });
  const links = createLinks({ ...deps, client, bot });
  const gate = createGate({ ...deps, answering, commanding, links, outbox });
  const clicking = createClicking({ cases, outbox, answering, wrong, record, language });

  const inbox = createInboxReceiver({
    store: deps.deliveries,
    redact: deps.redact,
    record,
    now,
    newReference: deps.newReference,
    ...(deps.pauses ? { pauses: deps.pauses } : {}),
    apologise: async (body, reference) => {
      try {
        const to = whoWaits(body, bot);
        const message = sayMessage(slackWordsFor(language).failed(reference));
        if (to?.user) await outbox.whisper({ ...to, user: to.user }, message);
        else if (to) await outbox.post({ team: to.team, about: `apology:${reference}`, seq: 0 }, to, message);
      } catch (error) {
        record({ kind: "apology-not-posted", reference, error });
      }
    },
  });

  const app = new App({
    receiver: inbox,
    authorize: async () => ({ botToken, botId: installation.botId, botUserId: bot }),
    logger,
    clientOptions: apiUrl ? { slackApiUrl: apiUrl } : {},
    convoStore: false,
  });
  // Out to the inbox, which tries again and at last apologises.
  app.error(async (error) => {
    throw error;
  });
  app.use(async ({ body, next }) => {
    if (!(await gate.refuses(body))) await next();
  });
  listen(app, { gate, clicking, forget: deps.forget, bot });
  listenToForms(app, { wrong, settings });

  /** Edits that an earlier run had put off. */
  async function catchUp(): Promise<void> {
    for (const { team, about } of await deps.messages.behind())
      await answering.show({ team, id: about }).catch((error: unknown) => {
        // Already in the log, under its reference.
        if (!(error instanceof ClosedToUs)) throw error;
      });
  }

  return {
    ...inbox,
    async feed() {
      await Promise.all([inbox.feed(), catchUp()]);
    },
    async drain(ms) {
      const began = Date.now();
      await inbox.drain(ms);
      await Promise.race([outbox.idle(), wait(Math.max(0, ms - (Date.now() - began)), undefined, { ref: false })]);
    },
  };
}

/** Asked once at start: who we are, and whether the token is good. */
export async function whoAmI(calling: Calling): Promise<Installation> {
  // Nothing else keeps the process alive yet, so these retries must.
  const client = new webApi.WebClient(calling.token, {
    ...optionsOf(calling),
    timeout: CALL_MS,
    retryConfig: { retries: 2 },
  });
  const { user_id = "", bot_id = "", team_id = "", url = "" } = await client.auth.test();
  return { botUser: user_id, botId: bot_id, team: team_id, url };
}

export interface Calling {
  token: string;
  apiUrl: string | null;
  logger: Logger;
  fetch: typeof globalThis.fetch;
}

/** One client that may try again by itself, one for posting that must not, and one for forms that has no time to. */
function createClients(calling: Calling, hasty: typeof globalThis.fetch) {
  const { token } = calling;
  const options = optionsOf(calling);
  return {
    client: new webApi.WebClient(token, {
      ...options,
      retryConfig: { retries: 2, minTimeout: 300, factor: 3, unref: true },
    }),
    poster: new webApi.WebClient(token, { ...options, retryConfig: { retries: 0 } }),
    views: new webApi.WebClient(token, { ...options, fetch: hasty, timeout: FORM_MS, retryConfig: { retries: 0 } }),
  };
}

function optionsOf({ apiUrl, logger, fetch }: Calling): webApi.WebClientOptions {
  return {
    ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
    logger,
    fetch,
    rejectRateLimitedCalls: true,
    // Calls that wait for Slack's leave hold up no others.
    maxRequestConcurrency: Number.POSITIVE_INFINITY,
  };
}

interface Waiting {
  team: string;
  channel: string;
  thread: string | null;
  /** Set where one person clicked. */
  user?: string;
  responseUrl?: string | null;
}

/** Whoever clicked, or spoke to us, or pasted something; nobody where it was only talk in a channel. */
function whoWaits(body: unknown, bot: string): Waiting | null {
  if (!isObject(body)) return null;
  const team = typeof body.team_id === "string" ? body.team_id : "";
  if (isObject(body.event)) {
    const heard = hear(body.event as MessageEvent, bot);
    if (heard.kind !== "said" || !(heard.said.addressed || bringsPaste(heard.said))) return null;
    return { team, channel: heard.said.channel, thread: heard.said.thread };
  }
  const user = isObject(body.user) ? String(body.user.id) : String(body.user_id ?? "");
  const channel = isObject(body.channel) ? String(body.channel.id) : String(body.channel_id ?? "");
  const container = isObject(body.container) ? body.container : {};
  const message = isObject(body.message) ? body.message : {};
  const thread = container.thread_ts ?? container.message_ts ?? message.thread_ts ?? message.ts;
  const responseUrl = typeof body.response_url === "string" ? body.response_url : null;
  return { team, channel, thread: typeof thread === "string" ? thread : null, user, responseUrl };
}
