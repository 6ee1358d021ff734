// record(event): one JSON object a line, a constant message, the details as fields. No text of anyone's paste is in it.
import type { Logger as BoltLogger, LogLevel } from "@slack/bolt";
import { type DestinationStream, pino } from "pino";
import type { SlackHappened } from "./slack/happened.ts";

export type Happened =
  | SlackHappened
  | { kind: "started"; mode: "socket" | "http"; port: number; store: string; playbooks: number; broken: string[] }
  | { kind: "left-over"; deliveries: number }
  | { kind: "swept"; cases: number }
  | { kind: "sweep-failed"; error: unknown }
  | { kind: "stray-failure"; error: unknown }
  | { kind: "page-failed"; reference: string; error: unknown }
  | { kind: "stopping"; signal: string }
  | { kind: "stopped" };

export interface Telemetry {
  record(happened: Happened): void;
  /** What Bolt and its clients have to say, at the same level and in the same form. */
  bolt: BoltLogger;
}

const LEVELS: Partial<Record<Happened["kind"], "error" | "warn" | "debug">> = {
  "delivery-not-written": "error",
  "delivery-failed": "error",
  "apology-not-posted": "error",
  "sweep-failed": "error",
  "stray-failure": "error",
  "page-failed": "error",
  "message-given-up": "error",
  "socket-refused": "error",
  "edit-failed": "warn",
  "form-not-opened": "warn",
  "delivery-again": "warn",
  "delivery-not-acknowledged": "warn",
  "delivery-refused": "warn",
  "thread-not-readable": "warn",
  "file-not-posted": "warn",
  "file-not-fetched": "warn",
  "rate-limited": "warn",
  "socket-down": "warn",
  "delivery-done": "debug",
  "delivery-acknowledged": "debug",
  "nothing-found": "debug",
  "stayed-silent": "debug",
  "edit-put-off": "debug",
  "edit-caught-up": "debug",
};

export function createTelemetry(level: string, to?: DestinationStream): Telemetry {
  const options = { level, serializers: { error: plainError }, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const log = to ? pino(options, to) : pino(options);
  return {
    record({ kind, ...fields }) {
      log[LEVELS[kind] ?? "info"](fields, kind);
    },
    bolt: {
      // Bolt's debug lines hold whole deliveries.
      debug: () => {},
      info: (...said) => log.debug({ said: words(said) }, "bolt"),
      warn: (...said) => log.warn({ said: words(said) }, "bolt"),
      error: (...said) => log.error({ said: words(said) }, "bolt"),
      setLevel: () => {},
      getLevel: () => "info" as LogLevel,
      setName: () => {},
    },
  };
}

/** An error's own words and its causes'; never its other fields, which hold requests and answers. */
function plainError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code, original } = error as { code?: unknown; original?: unknown };
  const cause = error.cause ?? original;
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === "string" ? { code } : {}),
    stack: error.stack,
    ...(cause !== undefined && depth < 4 ? { cause: plainError(cause, depth + 1) } : {}),
  };
}

function words(said: unknown[]): string {
  return said.map((one) => (one instanceof Error ? one.message : String(one))).join(" ");
}
