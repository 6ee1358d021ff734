// How Slack hands things to an app: an event that is not acknowledged within three seconds is sent again, up to three
// times; a click or a command is not, and the person sees that it failed.
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "./world.ts";

export interface Parcel {
  kind: "events_api" | "interactive" | "slash_commands";
  payload: Json;
  retry?: { num: number; reason: string };
}

export type Acked =
  | { ok: true; body: unknown }
  | { ok: false; reason: string /** The app asked not to be sent it again. */; final?: boolean };

export type Transport = (parcel: Parcel) => Promise<Acked>;

export interface Delivery {
  kind: Parcel["kind"];
  /** The event's or the payload's type. */
  type: string;
  /** The event's id; empty for all else. */
  id: string;
  /** Why each try before the last failed. */
  retries: string[];
  /** From the first try to the acknowledgement. */
  ms: number;
  outcome: "under way" | "acknowledged" | "given up";
  /** What the app said along with its acknowledgement. */
  body?: unknown;
}

export interface Deliveries {
  /** Resolves when it is acknowledged or given up; at once while deliveries are held. */
  deliver(parcel: Parcel): Promise<Delivery>;
  all: Delivery[];
  /** The next so many deliveries arrive twice. */
  duplicate(count?: number): void;
  /** What happens in `acts` is delivered only after it, the last first, or in the order given (0 is the first). */
  outOfOrder(acts: () => Promise<unknown>, order?: readonly number[]): Promise<void>;
  /** Resolves when nothing is on its way. */
  idle(): Promise<void>;
  stop(): void;
}

export function createDeliveries({ send, retryMs }: { send: Transport; retryMs: readonly number[] }): Deliveries {
  const all: Delivery[] = [];
  const underWay = new Set<Promise<unknown>>();
  const stopped = new AbortController();
  let twice = 0;
  let held: (() => Promise<unknown>)[] | null = null;

  async function carry(parcel: Parcel): Promise<Delivery> {
    const { event, type, event_id } = parcel.payload as { event?: Json; type?: unknown; event_id?: unknown };
    const delivery: Delivery = {
      kind: parcel.kind,
      type: String(event?.type ?? type ?? parcel.kind),
      id: typeof event_id === "string" ? event_id : "",
      retries: [],
      ms: 0,
      outcome: "under way",
    };
    all.push(delivery);
    const began = Date.now();
    for (;;) {
      const num = delivery.retries.length;
      const acked = await send(
        num === 0 ? parcel : { ...parcel, retry: { num, reason: delivery.retries.at(-1) ?? "" } },
      );
      delivery.ms = Date.now() - began;
      if (acked.ok) {
        delivery.outcome = "acknowledged";
        delivery.body = acked.body;
        return delivery;
      }
      const pause = parcel.kind === "events_api" && !acked.final ? retryMs[num] : undefined;
      if (pause === undefined || stopped.signal.aborted) {
        delivery.outcome = "given up";
        return delivery;
      }
      delivery.retries.push(acked.reason);
      await sleep(pause, undefined, { ref: false, signal: stopped.signal }).catch(() => {});
    }
  }

  function start(parcel: Parcel): Promise<Delivery> {
    const copies = twice > 0 ? 2 : 1;
    twice = Math.max(0, twice - 1);
    const [first, ...more] = Array.from({ length: copies }, () => track(carry(parcel)));
    return Promise.all([first as Promise<Delivery>, ...more]).then(([delivery]) => delivery);
  }

  function track<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
    return work;
  }

  return {
    all,
    async deliver(parcel) {
      if (!held) return start(parcel);
      held.push(() => start(parcel));
      const { type = parcel.kind } = parcel.payload as { type?: string };
      return { kind: parcel.kind, type, id: "", retries: [], ms: 0, outcome: "under way" };
    },
    duplicate(count = 1) {
      twice += count;
    },
    async outOfOrder(acts, order) {
      held = [];
      try {
        await acts();
      } finally {
        const kept: (() => Promise<unknown>)[] = held;
        held = null;
        for (const at of order ?? kept.map((_, n) => kept.length - 1 - n)) await kept[at]?.();
      }
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    stop: () => stopped.abort(),
  };
}
