// Node's own http in front of handle().
import type { IncomingMessage, ServerResponse } from "node:http";
import { handle, type WebDeps } from "./handle.ts";

export interface NodeWebDeps extends WebDeps {
  /** The reference under which it is logged. */
  failed(error: unknown): string;
}

/** Answers one request; never rejects. */
export function createWeb(deps: NodeWebDeps) {
  return async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const request = toRequest(incoming);
      const answered = request ? await handle(request, deps) : new Response("This is no request.\n", { status: 400 });
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      response.end(Buffer.from(await answered.arrayBuffer()));
    } catch (error) {
      const reference = deps.failed(error);
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
      response.end(`Sorry, that failed on our side. Whoever runs this service finds why under ${reference}.\n`);
    }
  };
}

/** undefined where its address or its method is no address or method at all. */
function toRequest({ method = "GET", url = "/", headers }: IncomingMessage): Request | undefined {
  // The path stands behind the host, so that "//elsewhere" stays a path.
  const address = `http://${headers.host ?? "localhost"}${url.startsWith("/") ? url : "/"}`;
  if (!URL.canParse(address)) return undefined;
  const asked = new Headers();
  for (const name of ["accept-encoding", "accept-language", "if-none-match"]) {
    const value = headers[name];
    if (typeof value === "string") asked.set(name, value);
  }
  // What a request may carry is not looked at: these pages are read only.
  return new Request(address, { method: method === "HEAD" || method === "GET" ? method : "POST", headers: asked });
}
