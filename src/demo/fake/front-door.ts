// To an app that listens at an address: signed requests, as Slack sends them.
import { createHmac } from "node:crypto";
import { request } from "node:http";
import { after } from "./clock.ts";
import type { Acked, Parcel } from "./delivery.ts";

export interface Door {
  /** The whole address, such as http://127.0.0.1:3000/slack/events. */
  url: string;
  signingSecret: string;
}

export interface Knock {
  body: string;
  form?: boolean;
  headers?: Record<string, string>;
  /** For forged requests: another secret, another moment (in seconds since 1970). */
  secret?: string;
  at?: number;
}

interface Knocked {
  status: number;
  body: string;
  headers: NodeJS.Dict<string | string[]>;
}

/** One signed request; the status and the answer's text. Rejects where nobody answers within `ms`. */
export function knock(
  { url, signingSecret }: Door,
  { body, form = false, headers = {}, secret = signingSecret, at = Math.floor(Date.now() / 1000) }: Knock,
  ms: number,
): Promise<Knocked> {
  const late = new AbortController();
  const callOff = after(ms, () => late.abort());
  return new Promise<Knocked>((resolve, reject) => {
    const sent = request(
      url,
      {
        method: "POST",
        signal: late.signal,
        headers: {
          "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
          "content-type": form ? "application/x-www-form-urlencoded" : "application/json",
          "x-slack-signature": `v0=${createHmac("sha256", secret).update(`v0:${at}:${body}`).digest("hex")}`,
          "x-slack-request-timestamp": String(at),
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () =>
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString(), headers: answer.headers }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  }).finally(callOff);
}

/** One try of a delivery; three seconds are `ms` long. */
export async function deliverTo(door: Door, { kind, payload, retry }: Parcel, ms: number): Promise<Acked> {
  const body =
    kind === "events_api"
      ? JSON.stringify(payload)
      : new URLSearchParams(
          kind === "interactive" ? { payload: JSON.stringify(payload) } : (payload as Record<string, string>),
        ).toString();
  const headers: Record<string, string> = retry
    ? { "x-slack-retry-num": String(retry.num), "x-slack-retry-reason": retry.reason }
    : {};
  try {
    const answer = await knock(door, { body, form: kind !== "events_api", headers }, ms);
    if (answer.status >= 200 && answer.status < 300) return { ok: true, body: parsed(answer.body) };
    return { ok: false, reason: "http_error", final: answer.headers["x-slack-no-retry"] === "1" };
  } catch (error) {
    const late = error instanceof Error && error.name === "AbortError";
    return { ok: false, reason: late ? "http_timeout" : "connection_failed" };
  }
}

/** An empty answer is none; one that is not JSON is a text to show. */
function parsed(body: string): unknown {
  if (body === "") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
