// Stands between Slack's transport and Bolt: a delivery is written down, then acknowledged, then worked on. What an
// earlier run left behind is fed to Bolt again.
import type { App, Receiver, ReceiverEvent } from "@slack/bolt";
import type { Delivery, DeliveryStore } from "../case/deliveries.ts";
import { arrived, isObject, toKeep } from "./delivery.ts";
import type { RecordSlack } from "./happened.ts";
import { createLanes } from "./lanes.ts";

export interface InboxDeps {
  store: DeliveryStore;
  redact(text: string): { text: string };
  record: RecordSlack;
  now(): Date;
  newReference(): string;
  /** Tells whoever waits that we failed; never throws. */
  apologise(body: unknown, reference: string): Promise<void>;
  /** Milliseconds before the second and the third try. */
  pauses?: readonly [number, number];
}

export interface InboxReceiver extends Receiver {
  /** What a transport hands its deliveries to, in Bolt's place. */
  processEvent(event: ReceiverEvent): Promise<void>;
  /** Works on what an earlier run left behind. */
  feed(): Promise<void>;
  /** Takes up nothing new and waits for what is at work; what is left stays written down. */
  drain(ms: number): Promise<void>;
}

const TRIES = 3;
/** Older than this, nobody waits for the answer any more. */
const STALE_MS = 24 * 60 * 60 * 1000;

export function createInboxReceiver(deps: InboxDeps): InboxReceiver {
  const { store, redact, record, now } = deps;
  const [shortly, later] = deps.pauses ?? [1000, 8000];
  const lanes = createLanes(8);
  const retries = new Set<NodeJS.Timeout>();
  let app: Pick<App, "processEvent"> | undefined;
  let draining = false;

  async function processEvent({ body, ack, retryNum }: ReceiverEvent): Promise<void> {
    const one = arrived(body);
    if (!one) {
      record({ kind: "delivery-refused", why: isObject(body) ? "not-a-delivery" : "not-an-object" });
      await ack();
      return;
    }
    const { lane, ...delivery } = one;
    let fresh: boolean;
    try {
      fresh = await store.receive(delivery, JSON.stringify(toKeep(body, redact)), now().toISOString());
    } catch (error) {
      // Not acknowledged, so Slack sends it again.
      record({ kind: "delivery-not-written", id: delivery.id, error });
      throw error;
    }
    try {
      await ack();
    } catch (error) {
      // The socket went away meanwhile: Slack sends it again, and we know it then. It is worked on all the same.
      record({ kind: "delivery-not-acknowledged", id: delivery.id, error });
    }
    if (!fresh) record({ kind: "delivery-known", id: delivery.id, retry: retryNum ?? null });
    else if (!draining) void work(delivery, lane);
  }

  async function work(delivery: Delivery, lane: string): Promise<void> {
    try {
      await lanes.run(lane, () => attempt(delivery, lane));
    } catch (error) {
      // The database itself: the delivery stays written down, and is worked on when the database is back.
      tryAgain(delivery, lane, 0, error);
    }
  }

  async function attempt(delivery: Delivery, lane: string): Promise<void> {
    if (draining) return;
    const taken = await store.take(delivery, now().toISOString());
    if (!taken || !app) return;
    const began = Date.now();
    const body: unknown = JSON.parse(taken.body);
    const age = now().getTime() - Date.parse(taken.receivedAt);
    try {
      if (age > STALE_MS) throw new Error("this delivery is more than a day old");
      // A delivery that ended the process each time is not tried for ever.
      if (taken.attempt > TRIES) throw new Error("the process ended while this delivery was worked on");
      await app.processEvent({ body: body as ReceiverEvent["body"], ack: async () => {} });
    } catch (error) {
      if (taken.attempt < TRIES && age <= STALE_MS) return tryAgain(delivery, lane, taken.attempt, error);
      const reference = deps.newReference();
      record({ kind: "delivery-failed", id: delivery.id, reference, error });
      await store.failed(delivery, reference, now().toISOString());
      if (age <= STALE_MS) await deps.apologise(body, reference);
      return;
    }
    await store.done(delivery, now().toISOString());
    record({ kind: "delivery-done", id: delivery.id, ms: Date.now() - began });
  }

  function tryAgain(delivery: Delivery, lane: string, attempted: number, error: unknown): void {
    record({ kind: "delivery-again", id: delivery.id, attempt: attempted, error });
    if (draining) return;
    const timer = setTimeout(
      () => {
        retries.delete(timer);
        void work(delivery, lane);
      },
      attempted === 1 ? shortly : later,
    );
    retries.add(timer);
  }

  return {
    processEvent,
    init(bolt) {
      app = bolt;
    },
    async start() {},
    async stop() {},
    async feed() {
      const left = await store.leftovers();
      await Promise.all(
        left.map(({ body, ...delivery }) => work(delivery, arrived(JSON.parse(body))?.lane ?? delivery.id)),
      );
    },
    async drain(ms) {
      draining = true;
      for (const timer of retries) clearTimeout(timer);
      let timer: NodeJS.Timeout | undefined;
      const enough = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      await Promise.race([lanes.idle(), enough]);
      clearTimeout(timer);
    },
  };
}
