// When the bot has nothing more to do: everything delivered to it is worked on.
import { setTimeout as sleep } from "node:timers/promises";
import type { FakeSlack } from "./fake/slack.ts";

/** How a delivery ends that the bot had acknowledged. */
const ENDS = new Set(["delivery-done", "delivery-failed", "delivery-known", "delivery-refused"]);
const LONGEST_MS = 60_000;

export interface Watch {
  /** Handed everything that the bot records. */
  record(happened: { kind: string }): void;
  /** Resolves when the bot takes deliveries. */
  started: Promise<void>;
  /** False where it took too long. */
  settled(slack: FakeSlack): Promise<boolean>;
  /** Nobody waits any more. */
  stop(): void;
}

export function createWatch(): Watch {
  let ended = 0;
  let putOff = 0;
  let stopped = false;
  let start = (): void => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  return {
    started,
    record({ kind }) {
      if (kind === "started") start();
      if (ENDS.has(kind)) ended++;
      if (kind === "edit-put-off") putOff++;
      if (kind === "edit-caught-up") putOff--;
    },
    async settled(slack) {
      const until = Date.now() + LONGEST_MS;
      for (;;) {
        await slack.idle();
        const taken = slack.deliveries.filter(({ outcome }) => outcome === "acknowledged").length;
        if (stopped || (ended >= taken && putOff === 0)) return true;
        if (Date.now() > until) return false;
        await sleep(10);
      }
    },
    stop() {
      stopped = true;
    },
  };
}
