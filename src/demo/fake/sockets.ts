// Socket Mode: envelopes down the sockets that stand, acknowledgements back, and the routine refresh.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { after } from "./clock.ts";
import type { Acked, Parcel } from "./delivery.ts";
import { type Method, no, ok } from "./method.ts";
import type { World } from "./world.ts";

export interface Sockets {
  methods: Record<string, Method>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** One try of a delivery; three seconds are `ms` long. */
  send(parcel: Parcel, ms: number): Promise<Acked>;
  /** Sends whatever it is down one socket, malformed envelopes included. */
  sendRaw(envelope: unknown): void;
  /** How many take envelopes. */
  count(): number;
  /** Slack's routine: the oldest socket gets no more envelopes, and is told to go. */
  refresh(reason?: "warning" | "refresh_requested"): void;
  /** Cuts all sockets without a word. */
  cut(): void;
  close(): void;
}

const MOST = 10;
/** Clients take a socket without pings for dead after 30 s. */
const PING_MS = 5000;
/** How long a socket that was told to go may take. */
const GOING_MS = 10_000;

export function createSockets(world: World, address: () => string): Sockets {
  const server = new WebSocketServer({ noServer: true });
  const open: WebSocket[] = [];
  const tickets = new Set<string>();
  const waiting = new Map<string, (acked: Acked) => void>();
  let turn = 0;

  const pings = setInterval(() => {
    for (const socket of server.clients) socket.ping();
  }, PING_MS).unref();

  function greet(socket: WebSocket): void {
    if (open.length >= MOST) {
      socket.send(JSON.stringify({ type: "disconnect", reason: "too_many_websockets" }));
      socket.close();
      return;
    }
    open.push(socket);
    // Each envelope on its way listens for the end of its socket.
    socket.setMaxListeners(0);
    socket.on("error", () => {});
    socket.on("close", () => leave(socket));
    socket.on("message", (data) => {
      const { envelope_id, payload } = JSON.parse(String(data)) as { envelope_id?: string; payload?: unknown };
      waiting.get(envelope_id ?? "")?.({ ok: true, body: payload });
    });
    socket.send(
      JSON.stringify({
        type: "hello",
        num_connections: open.length,
        connection_info: { app_id: world.bot.app },
        debug_info: { host: "applink-1", build_number: 1, approximate_connection_time: 18_060 },
      }),
    );
  }

  function leave(socket: WebSocket): void {
    if (open.includes(socket)) open.splice(open.indexOf(socket), 1);
  }

  return {
    methods: {
      "apps.connections.open": () => {
        if (open.length >= MOST) return no("too_many_websockets");
        const ticket = world.nextId("ticket-");
        tickets.add(ticket);
        return ok({ url: `${address()}/link?ticket=${ticket}&app_id=${world.bot.app}` });
      },
    },
    upgrade(request, socket, head) {
      const ticket = new URL(request.url ?? "/", "http://localhost").searchParams.get("ticket") ?? "";
      // Each address is good once.
      if (!tickets.delete(ticket)) return void socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
      server.handleUpgrade(request, socket, head, greet);
    },
    async send({ kind, payload, retry }, ms) {
      const until = Date.now() + ms;
      while (open.length === 0) {
        if (Date.now() > until) return { ok: false, reason: "connection_failed" };
        await sleep(Math.min(10, ms), undefined, { ref: false });
      }
      const socket = open[turn++ % open.length] as WebSocket;
      const envelope_id = world.nextId("envelope-");
      const gone = (): void => waiting.get(envelope_id)?.({ ok: false, reason: "connection_failed" });
      const callOff = after(ms, () => waiting.get(envelope_id)?.({ ok: false, reason: "timeout" }));
      try {
        return await new Promise<Acked>((resolve) => {
          waiting.set(envelope_id, resolve);
          socket.once("close", gone);
          const again = retry ? { retry_attempt: retry.num, retry_reason: retry.reason } : {};
          socket.send(
            JSON.stringify({
              envelope_id,
              type: kind,
              payload,
              accepts_response_payload: kind !== "events_api",
              ...again,
            }),
          );
        });
      } finally {
        callOff();
        waiting.delete(envelope_id);
        socket.off("close", gone);
      }
    },
    sendRaw(envelope) {
      open[0]?.send(JSON.stringify(envelope));
    },
    count: () => open.length,
    refresh(reason = "refresh_requested") {
      const oldest = open.shift();
      if (!oldest) return;
      oldest.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "applink-1" } }));
      setTimeout(() => oldest.close(), GOING_MS).unref();
    },
    cut() {
      for (const socket of server.clients) socket.terminate();
    },
    close() {
      clearInterval(pings);
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}
