// Stands between Slack's transport and Bolt: a delivery is written down, then acknowledged, then worked on. What an
// earlier run left behind is fed to Bolt again.
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { App, Receiver, ReceiverEvent } from "@slack/bolt";
import type { Delivery, DeliveryStore } from "../case/deliveries.ts";
import { arrived, type Doors, doorsOf, isObject, toKeep } from "./delivery.ts";
import { ClosedToUs, isWeather } from "./failure.ts";
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
/** With pauses that double: Slack's bad minutes are no fault of the delivery. */
const TRIES_IN_WEATHER = 8;
/** Of the event loop: a request over HTTP takes about as many until it is acknowledged. */
const TURNS = 10;
/** Older than this, nobody waits for the answer any more. */
const STALE_MS = 24 * 60 * 60 * 1000;

export function createInboxReceiver(deps: InboxDeps): InboxReceiver {
  const { store, redact, record, now } = deps;
  const [shortly, later] = deps.pauses ?? [1000, 8000];
  const lanes = createLanes();
  const draining = new AbortController();
  /** What opens Slack's doors for a while is not written down: after a crash we do without. */
  const opened = new Map<string, Doors>();
  let app: Pick<App, "processEvent"> | undefined;
  let breath = Promise.resolve();

  async function processEvent({ body, ack, retryNum }: ReceiverEvent): Promise<void> {
    const one = arrived(body);
    if (!one) {
      record({ kind: "delivery-refused", why: isObject(body) ? "not-a-delivery" : "not-an-object" });
      await ack();
      return;
    }
    const { lane, ...delivery } = one;
    const began = Date.now();
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
      record({ kind: "delivery-acknowledged", id: delivery.id, ms: Date.now() - began });
    } catch (error) {
      // The socket went away meanwhile: Slack sends it again, and we know it then. It is worked on all the same.
      record({ kind: "delivery-not-acknowledged", id: delivery.id, error });
    }
    if (!fresh) record({ kind: "delivery-known", id: delivery.id, retry: retryNum ?? null });
    else {
      opened.set(keyOf(delivery), doorsOf(body));
      void work(delivery, lane).finally(() => opened.delete(keyOf(delivery)));
    }
  }

  /** A delivery that is tried again keeps its place: what came later in its thread waits. */
  function work(delivery: Delivery, lane: string): Promise<void> {
    return lanes.run(lane, async () => {
      for (let again = true; again && !draining.signal.aborted; ) {
        let attempted = 0;
        await breathe();
        try {
          attempted = await attempt(delivery);
          again = attempted > 0;
        } catch (error) {
          // The database itself: the delivery stays written down, and is worked on when the database is back.
          record({ kind: "delivery-again", id: delivery.id, attempt: 0, error });
        }
        if (again) await pause(attempted === 1 ? shortly : later * 2 ** Math.max(0, attempted - 2));
      }
    });
  }

  /** The number of the attempt where it failed and is to be tried again, else 0. */
  async function attempt(delivery: Delivery): Promise<number> {
    const taken = await store.take(delivery, now().toISOString());
    if (!taken || !app) return 0;
    const began = Date.now();
    const body: object = {
      ...JSON.parse(taken.body),
      // A command has no id of its own.
      delivery_id: delivery.id,
      delivery_attempt: taken.attempt,
      ...opened.get(keyOf(delivery)),
    };
    const age = now().getTime() - Date.parse(taken.receivedAt);
    try {
      if (age > STALE_MS) throw new Error("this delivery is more than a day old");
      // A delivery that ended the process each time is not tried for ever.
      if (taken.attempt > TRIES_IN_WEATHER) throw new Error("the process ended while this delivery was worked on");
      await app.processEvent({ body: body as ReceiverEvent["body"], ack: async () => {} });
    } catch (error) {
      const closed = closedIn(error);
      const tries = isWeather(error) ? TRIES_IN_WEATHER : TRIES;
      if (!closed && taken.attempt < tries && age <= STALE_MS) {
        record({ kind: "delivery-again", id: delivery.id, attempt: taken.attempt, error });
        return taken.attempt;
      }
      const reference = closed?.reference ?? deps.newReference();
      record({ kind: "delivery-failed", id: delivery.id, reference, error });
      await store.failed(delivery, reference, now().toISOString());
      // Where Slack takes nothing of ours, it takes no apology either.
      if (!closed && age <= STALE_MS) await deps.apologise(body, reference);
      return 0;
    }
    await store.done(delivery, now().toISOString());
    record({ kind: "delivery-done", id: delivery.id, ms: Date.now() - began });
    return 0;
  }

  /** Work begins one by one, and lets in before each whatever has arrived meanwhile: Slack waits three seconds only. */
  function breathe(): Promise<void> {
    breath = breath.then(async () => {
      for (let turn = 0; turn < TURNS; turn++) await setImmediate();
    });
    return breath;
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { ref: false, signal: draining.signal }).catch(() => {});
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
      draining.abort();
      const enough = new AbortController();
      await Promise.race([lanes.idle(), sleep(ms, undefined, { signal: enough.signal }).catch(() => {})]);
      enough.abort();
    },
  };
}

function keyOf({ team, id }: Delivery): string {
  return `${team}/${id}`;
}

/** Bolt hands a listener's error on inside one of its own. */
function closedIn(error: unknown): ClosedToUs | null {
  if (error instanceof ClosedToUs) return error;
  const { original } = (error ?? {}) as { original?: unknown };
  return original instanceof ClosedToUs ? original : null;
}
