// Socket Mode: two sockets, so that Slack's routine refresh of one loses nothing, and reconnecting that never gives up.
import { SocketModeReceiver } from "@slack/bolt";
import type { Dispatcher } from "undici";
import type { RecordSlack } from "./happened.ts";
import type { InboxReceiver } from "./inbox-receiver.ts";

export interface SocketDeps {
  appToken: string;
  apiUrl: string | null;
  inbox: Pick<InboxReceiver, "processEvent">;
  logger: NonNullable<ConstructorParameters<typeof SocketModeReceiver>[0]["logger"]>;
  record: RecordSlack;
  fetch: typeof globalThis.fetch;
  /** What sockets go through, where that is not straight. */
  dispatcher: Dispatcher | null;
  sleep(ms: number): Promise<void>;
}

export interface Sockets {
  /** Resolves with the first socket that stands; rejects where Slack refuses the token. */
  start(): Promise<void>;
  up(): boolean;
  /** How many stand. */
  standing(): number;
  stop(): Promise<void>;
}

const SOCKETS = 2;
const HELLO_MS = 15_000;
const LONGEST_PAUSE_MS = 30_000;

export function createSockets(deps: SocketDeps): Sockets {
  const { appToken, apiUrl, inbox, logger, record, fetch, dispatcher, sleep } = deps;
  let stopping = false;
  let standing = 0;
  const receivers = Array.from({ length: SOCKETS }, () => {
    const receiver = new SocketModeReceiver({
      appToken,
      logger,
      ...(dispatcher ? { dispatcher } : {}),
      // Its own reconnecting waits 5 s at the least, and a failure in it ends the process.
      autoReconnectEnabled: false,
      installerOptions: {
        clientOptions: {
          // The only way for this address to reach the socket client.
          ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
          retryConfig: { retries: 1, unref: true },
          fetch,
          timeout: 10_000,
        },
      },
    });
    // Bolt itself comes after the inbox.
    receiver.init({ processEvent: inbox.processEvent } as unknown as Parameters<typeof receiver.init>[0]);
    return receiver;
  });

  async function connect({ client }: SocketModeReceiver): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error("no hello from Slack within 15 s")), HELLO_MS);
    });
    try {
      await Promise.race([client.start(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function keep(receiver: SocketModeReceiver, socket: number, first: () => void): Promise<void> {
    let failures = 0;
    while (!stopping) {
      try {
        const gone = new Promise<void>((resolve) => receiver.client.once("disconnected", () => resolve()));
        await connect(receiver);
        // Told to stop while it was connecting.
        if (stopping) return void letGo(receiver);
        failures = 0;
        standing++;
        record({ kind: "socket-up", socket });
        first();
        await gone;
        standing--;
        if (!stopping) record({ kind: "socket-down", socket, failures });
      } catch (error) {
        failures++;
        if (isFinal(error) && standing === 0 && !stopping) throw error;
        record({ kind: "socket-down", socket, failures, error });
        void letGo(receiver);
      }
      if (!stopping && failures > 0) await sleep(Math.min(500 * 2 ** failures, LONGEST_PAUSE_MS));
    }
  }

  return {
    start: () =>
      new Promise((resolve, reject) => {
        for (const [socket, receiver] of receivers.entries())
          keep(receiver, socket, resolve).catch((error: unknown) => {
            record({ kind: "socket-refused", socket, error });
            reject(error);
          });
      }),
    up: () => standing > 0,
    standing: () => standing,
    async stop() {
      stopping = true;
      await Promise.race([Promise.all(receivers.map(letGo)), sleep(1000)]);
      // Asked a second time, a client lets go of a peer that does not answer.
      for (const receiver of receivers) void letGo(receiver);
    },
  };
}

/** Never rejects, and leaves nothing behind that keeps the process alive. */
async function letGo({ client }: SocketModeReceiver): Promise<void> {
  const gone = client.disconnect().catch(() => {});
  // socket-mode 3.1 sets this timer a second time where the peer closes with an error, and forgets the first: 30 s.
  const { websocket } = client as unknown as { websocket?: { closeHandshakeTimeout?: NodeJS.Timeout } };
  websocket?.closeHandshakeTimeout?.unref();
  await gone;
}

/** The token itself is wrong; trying again changes nothing. */
function isFinal(error: unknown): boolean {
  const word = (error as { data?: { error?: string } } | undefined)?.data?.error ?? "";
  return [
    "not_authed",
    "invalid_auth",
    "token_revoked",
    "account_inactive",
    "user_removed_from_team",
    "team_disabled",
    "not_allowed_token_type",
    "missing_scope",
  ].includes(word);
}
