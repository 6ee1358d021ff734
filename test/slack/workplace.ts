// A bot on a temporary database, its front door on a port of this machine, in the fake workspace.
import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import nock from "nock";
import type { CandidateStore } from "../../src/case/candidates.ts";
import { createCases } from "../../src/case/case.ts";
import type { MessageStore } from "../../src/case/messages.ts";
import { type Catalog, loadCatalog } from "../../src/catalog.ts";
import { createFakeSlack, type FakeSlack } from "../../src/demo/fake/slack.ts";
import { redact } from "../../src/diagnose/redact.ts";
import type { Verdict } from "../../src/diagnose/verdict-type.ts";
import { createRead } from "../../src/reading/read.ts";
import { createBot } from "../../src/slack/app.ts";
import type { SlackHappened } from "../../src/slack/happened.ts";
import { createHttp } from "../../src/slack/http.ts";
import { createCandidateStore } from "../../src/store/candidates.ts";
import { createCaseStore } from "../../src/store/cases.ts";
import { createChannelStore } from "../../src/store/channels.ts";
import { openDatabase } from "../../src/store/database.ts";
import { createInbox } from "../../src/store/inbox.ts";
import { createMessageStore } from "../../src/store/outbox.ts";
import { createRetention } from "../../src/store/retention.ts";
import { createTelemetry } from "../../src/telemetry.ts";
import { MANIFEST } from "./manifest.ts";

export interface Workplace {
  slack: FakeSlack;
  happened: SlackHappened[];
  /** Until the bot has nothing more to do, and nothing is on its way to it. */
  settled(): Promise<void>;
  file: string;
  /** Ids of the playbooks it has. */
  playbooks: string[];
  inbox: ReturnType<typeof createInbox>;
  messages: MessageStore;
  candidates: CandidateStore;
  bot: ReturnType<typeof createBot>;
  close(): Promise<void>;
}

/** One of Slack's seconds, so that nobody waits for a Retry-After. */
const SECOND = 20;

let catalog: Catalog | undefined;

export async function openWorkplace(
  over: {
    file?: string;
    slack?: FakeSlack;
    catalog?: Catalog;
    verdict?: Partial<Verdict>;
    /** Another Web API than the fake's own. */
    api?: { apiUrl: string; botToken: string };
    manifest?: unknown;
    editPauseMs?: number;
    longMs?: number;
    callMs?: number;
  } = {},
): Promise<Workplace> {
  // Nothing leaves this machine.
  nock.disableNetConnect();
  nock.enableNetConnect("127.0.0.1");
  catalog ??= await loadCatalog();
  const { playbooks, rules } = over.catalog ?? catalog;
  const slack =
    over.slack ??
    (await createFakeSlack({ manifest: over.manifest ?? MANIFEST, second: SECOND, retryMs: [0, 50, 100] }));
  const file = over.file ?? join(mkdtempSync(join(tmpdir(), "firstfault-")), "firstfault.db");
  const database = await openDatabase({ file });
  const inbox = createInbox(database);
  const messages = createMessageStore(database);
  const candidates = createCandidateStore(database);
  const happened: SlackHappened[] = [];
  const { bolt: logger } = createTelemetry("silent");
  const now = (): Date => new Date();
  const bot = createBot({
    botToken: slack.botToken,
    apiUrl: slack.apiUrl,
    ...over.api,
    installation: { botUser: "UBOT", botId: "BBOT", team: "T1", url: "https://acme.slack.com/" },
    cases: createCases({
      store: createCaseStore(database),
      playbooks,
      rules: rules.version,
      now,
      newId: () => randomUUID(),
      hash: (text) => createHash("sha256").update(text).digest("hex"),
    }),
    playbooks,
    deliveries: inbox,
    messages,
    candidates,
    channels: createChannelStore(database),
    read: async (pasted) => {
      const { given, left } = await createRead(rules)(pasted);
      return { given: { ...given, verdict: { ...given.verdict, ...over.verdict } }, left };
    },
    redact,
    forget: createRetention(database).forgetMessage,
    record: (one) => happened.push(one),
    logger,
    language: "en",
    baseUrl: "https://firstfault.example.org/",
    now,
    fetch,
    sleep: (ms) => sleep((ms / 1000) * SECOND),
    newReference: () => "ff-test",
    pauses: [5, 10],
    ...(over.longMs === undefined ? {} : { longMs: over.longMs }),
    ...(over.editPauseMs === undefined ? {} : { editPauseMs: over.editPauseMs }),
    ...(over.callMs === undefined ? {} : { callMs: over.callMs }),
  });
  const { signingSecret } = slack;
  const handle = createHttp({ signingSecret, inbox: bot, logger, record: (one) => happened.push(one) });
  const server = createServer((req, res) => void handle(req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  slack.listenAt(`http://127.0.0.1:${port}/slack/events`);
  await bot.feed();

  return {
    slack,
    happened,
    file,
    playbooks: [...playbooks.keys()],
    inbox,
    messages,
    candidates,
    bot,
    async settled() {
      for (let quiet = 0, calls = 0; quiet < 3; calls = slack.calls.length) {
        await sleep(15);
        await slack.idle();
        const { received, working } = await inbox.counts();
        const owed = await messages.depth();
        quiet = received + working + owed === 0 && slack.calls.length === calls ? quiet + 1 : 0;
      }
    },
    async close() {
      await bot.drain(1000);
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await database.close();
      if (!over.slack) await slack.close();
    },
  };
}
