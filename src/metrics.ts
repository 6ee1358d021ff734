// Figures for whoever watches the service, made of what happened. No text, name or id of anybody is in them.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Happened } from "./telemetry.ts";

export interface MetricsDeps {
  /** Deliveries by state: received, working, done, failed. */
  inbox(): Promise<Record<string, number>>;
  /** Messages that are behind what they are to show. */
  outbox(): Promise<number>;
  /** Sockets that stand. */
  sockets(): number;
}

export interface Metrics {
  record(happened: Happened): void;
  /** In Prometheus' text format. */
  text(): Promise<string>;
  contentType: string;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30];

export function createMetrics({ inbox, outbox, sockets }: MetricsDeps): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const acked = new Histogram({
    name: "firstfault_ack_seconds",
    help: "From a delivery's arrival until Slack is told that it arrived; Slack waits three seconds.",
    buckets: SECONDS,
    registers,
  });
  const verdict = new Histogram({
    name: "firstfault_verdict_seconds",
    help: "From taking up a message until its verdict is known.",
    buckets: SECONDS,
    registers,
  });
  const verdicts = new Counter({
    name: "firstfault_verdicts_total",
    help: "Messages diagnosed, by label and status.",
    labelNames: ["label", "status"],
    registers,
  });
  const worked = new Histogram({
    name: "firstfault_delivery_seconds",
    help: "Work on one delivery, calls to Slack included.",
    buckets: SECONDS,
    registers,
  });
  const deliveries = new Counter({
    name: "firstfault_deliveries_total",
    help: "Deliveries from Slack, by what became of them.",
    labelNames: ["outcome"],
    registers,
  });
  const messages = new Counter({
    name: "firstfault_messages_total",
    help: "Our messages in Slack: posted, updated, replaced, given up.",
    labelNames: ["what"],
    registers,
  });
  const limited = new Counter({
    name: "firstfault_rate_limited_total",
    help: "Answers of Slack with status 429, by method.",
    labelNames: ["method"],
    registers,
  });
  new Gauge({
    name: "firstfault_inbox_deliveries",
    help: "Deliveries in the store, by state; received and working are those not worked on yet.",
    labelNames: ["state"],
    registers,
    async collect() {
      for (const [state, n] of Object.entries(await inbox())) this.set({ state }, n);
    },
  });
  new Gauge({
    name: "firstfault_outbox_messages",
    help: "Messages that are behind what they are to show.",
    registers,
    async collect() {
      this.set(await outbox());
    },
  });
  new Gauge({
    name: "firstfault_sockets",
    help: "Sockets to Slack that stand; none over HTTP.",
    registers,
    collect() {
      this.set(sockets());
    },
  });

  return {
    record(happened) {
      switch (happened.kind) {
        case "delivery-acknowledged":
          acked.observe(happened.ms / 1000);
          break;
        case "case-opened":
        case "stayed-silent":
        case "nothing-found":
        case "fault-seen-again":
          verdict.observe(happened.ms / 1000);
          verdicts.inc({ label: happened.label, status: happened.status });
          break;
        case "delivery-done":
          worked.observe(happened.ms / 1000);
          deliveries.inc({ outcome: "done" });
          break;
        case "delivery-failed":
        case "delivery-again":
        case "delivery-known":
        case "delivery-refused":
          deliveries.inc({ outcome: happened.kind.slice("delivery-".length) });
          break;
        case "message-posted":
        case "message-updated":
        case "message-replaced":
        case "message-given-up":
          messages.inc({ what: happened.kind.slice("message-".length) });
          break;
        case "rate-limited":
          limited.inc({ method: happened.method });
          break;
        default:
          break;
      }
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
