// How calls leave for Slack: each with a time-out of its own, and none before Slack's Retry-After is over. What Slack limits
// together waits together and goes on one by one; nothing else is held up.
import type { RecordSlack } from "./happened.ts";

export interface PatienceDeps {
  fetch: typeof globalThis.fetch;
  sleep(ms: number): Promise<void>;
  record: RecordSlack;
  /** How long one try may take; waiting for Slack's leave is not counted. */
  timeoutMs: number;
}

/** Slack's clock and ours need not agree to the millisecond. */
const MARGIN_MS = 100;
/** How often one call is sent away before whoever made it hears of it. */
const REFUSALS = 10;

/** A door that Slack has shut: those that wait before it, in their order. */
interface Door {
  /** Resolves when Retry-After is over. */
  open: Promise<void>;
  /** The last of those that wait has been let through. */
  tail: Promise<unknown>;
  waiting: number;
}

export interface Patience {
  /** For Slack's clients. A 429 is waited out in here, so that no client pauses all its other calls for it. */
  fetch: typeof globalThis.fetch;
  /** Resolves when calls of this method may leave again. */
  whenOpen(method: string): Promise<void>;
}

/** Whoever edits a message comes again by themselves: what waited in here would show what was, not what is. */
const NOT_WAITED_OUT = "chat.update";

export function createPatience({ fetch, sleep, record, timeoutMs }: PatienceDeps): Patience {
  const doors = new Map<string, Door>();

  function shut(name: string, seconds: number): Door {
    const door = doors.get(name) ?? { open: Promise.resolve(), tail: Promise.resolve(), waiting: 0 };
    const open = Promise.all([door.open, sleep(seconds * 1000 + MARGIN_MS)]).then(() => {
      if (door.open === open) forget(name, door);
    });
    door.open = open;
    doors.set(name, door);
    return door;
  }

  function forget(name: string, door: Door): void {
    if (door.waiting === 0 && doors.get(name) === door) doors.delete(name);
  }

  async function queue<T>(name: string, door: Door, call: () => Promise<T>): Promise<T> {
    door.waiting++;
    const mine = door.tail.then(call);
    door.tail = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      door.waiting--;
      void door.open.then(() => forget(name, door));
    }
  }

  async function patient(url: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Response> {
    const { method, door: name } = doorOf(String(url), init?.body);
    const once = async (): Promise<Response | number> => {
      const signals = [AbortSignal.timeout(timeoutMs), ...(init?.signal ? [init.signal] : [])];
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
      if (response.status !== 429 || !Number.isFinite(seconds)) return response;
      record({ kind: "rate-limited", method, seconds });
      shut(name, seconds);
      // Read to its end, so that the connection can be used again.
      await response.arrayBuffer();
      return seconds;
    };
    const throughDoor = async (): Promise<Response> => {
      for (let refused = 1; ; refused++) {
        await doors.get(name)?.open;
        const said = await once();
        if (typeof said !== "number") return said;
        if (refused >= REFUSALS) return limited(said);
      }
    };
    const shutNow = doors.get(name);
    if (shutNow && method === NOT_WAITED_OUT) return limited(1);
    if (shutNow) return queue(name, shutNow, throughDoor);
    const said = await once();
    if (typeof said !== "number") return said;
    if (method === NOT_WAITED_OUT) return limited(said);
    return queue(name, doors.get(name) ?? shut(name, said), throughDoor);
  }

  return { fetch: patient, whenOpen: async (method) => doors.get(method)?.open };
}

/** Posting is limited channel by channel, everything else method by method. */
function doorOf(url: string, body: unknown): { method: string; door: string } {
  const method = new URL(url).pathname.split("/").at(-1) ?? "";
  if (method !== "chat.postMessage") return { method, door: method };
  const channel = typeof body === "string" ? new URLSearchParams(body).get("channel") : null;
  return { method, door: `${method} ${channel ?? ""}` };
}

function limited(seconds: number): Response {
  return new Response('{"ok":false,"error":"ratelimited"}', {
    status: 429,
    headers: { "retry-after": String(seconds) },
  });
}
