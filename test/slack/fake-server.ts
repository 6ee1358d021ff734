// The fake Slack behind an HTTP server, with a socket for Socket Mode: for a program in a process of its own.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { FakeSlack } from "./fake-slack.ts";

export interface FakeServer {
  /** For SLACK_API_URL. */
  url: string;
  /** Sends an envelope down one socket; resolves when it is acknowledged. */
  send(payload: object, type?: string): Promise<void>;
  /** How many sockets stand. */
  sockets(): number;
  /** Ends the oldest socket, as Slack's routine refresh does. */
  refresh(): void;
  /** While set, calls to this method hang without an answer. */
  hold(method: string | null): void;
  close(): Promise<void>;
}

export async function serveFakeSlack(slack: FakeSlack, port = 0): Promise<FakeServer> {
  const open: Socket[] = [];
  const waiting = new Map<string, () => void>();
  let held: string | null = null;
  let envelopes = 0;

  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk;
    });
    request.on("end", () => {
      const method = (request.url ?? "").replace(/^\/api\//, "");
      if (method === held) return;
      const answer =
        method === "apps.connections.open"
          ? { status: 200, body: { ok: true, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/socket` } }
          : slack.call(method, Object.fromEntries(new URLSearchParams(body)));
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body));
    });
  });

  server.on("upgrade", (request, socket: Socket) => {
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    open.push(socket);
    const gone = (): void => {
      if (open.includes(socket)) open.splice(open.indexOf(socket), 1);
    };
    socket.on("close", gone);
    socket.on("error", gone);
    readFrames(socket, (text) => {
      const { envelope_id } = JSON.parse(text) as { envelope_id?: string };
      waiting.get(envelope_id ?? "")?.();
    });
    writeFrame(socket, JSON.stringify({ type: "hello", num_connections: open.length }));
  });

  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    send(payload, type = "events_api") {
      const envelope_id = `envelope-${envelopes++}`;
      const [socket] = open;
      if (!socket) throw new Error("no socket stands");
      return new Promise((resolve) => {
        waiting.set(envelope_id, resolve);
        writeFrame(socket, JSON.stringify({ envelope_id, type, payload, accepts_response_payload: false }));
      });
    },
    sockets: () => open.length,
    refresh() {
      // Slack sends nothing more down a socket that it asked to end.
      const oldest = open.shift();
      if (oldest) writeFrame(oldest, JSON.stringify({ type: "disconnect", reason: "refresh_requested" }));
    },
    hold(method) {
      held = method;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function writeFrame(socket: Socket, text: string, opcode = 1): void {
  const payload = Buffer.from(text);
  const { length } = payload;
  const head = length < 126 ? [length] : [126, length >> 8, length & 255];
  socket.write(Buffer.concat([Buffer.from([0x80 | opcode, ...head]), payload]));
}

/** Masked frames of up to 64 kB, as a client sends them: texts, pings, a close. */
function readFrames(socket: Socket, onText: (text: string) => void): void {
  let buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    while (buffer.length >= 6) {
      let length = (buffer[1] ?? 0) & 127;
      let at = 2;
      if (length === 126) {
        length = buffer.readUInt16BE(2);
        at = 4;
      }
      if (buffer.length < at + 4 + length) return;
      const mask = buffer.subarray(at, at + 4);
      const payload = Buffer.from(buffer.subarray(at + 4, at + 4 + length));
      for (const [n, byte] of payload.entries()) payload[n] = byte ^ (mask[n % 4] ?? 0);
      const opcode = (buffer[0] ?? 0) & 15;
      buffer = buffer.subarray(at + 4 + length);
      if (opcode === 1) onText(payload.toString());
      if (opcode === 9) writeFrame(socket, payload.toString(), 10);
      if (opcode === 8) {
        writeFrame(socket, payload.toString("latin1"), 8);
        socket.end();
      }
    }
  });
}
