// What the service answers on its port: health, figures, Slack, and the web pages for everything else.
import type { IncomingMessage, ServerResponse } from "node:http";

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface Routes {
  /** Takes events: started, not stopping, and with a socket where there are sockets. */
  healthy(): boolean;
  /** Started, and not stopping. */
  ready(): boolean;
  /** Fails where the store cannot be reached. */
  store(): Promise<void>;
  metrics: { text(): Promise<string>; contentType: string };
  /** Slack over HTTP, at its path; null in Socket Mode. */
  slack: { path: string; answer: Answer } | null;
  /** Where a case is in Slack, by the path of its address; null for any other path, and where it is not kept. */
  caseAt(path: string): Promise<string | null>;
  web: Answer;
}

/** How long the store may take to show that it is there. */
const STORE_MS = 2000;

/** Answers one request; never rejects. */
export function createRoutes({ healthy, ready, store, metrics, slack, caseAt, web }: Routes) {
  async function readyz(response: ServerResponse): Promise<void> {
    const wrong: string[] = [];
    if (!healthy()) wrong.push(ready() ? "no socket to Slack stands" : "not started, or stopping");
    if (!(await inTime(store()))) wrong.push("the store cannot be reached");
    say(response, wrong.length === 0 ? 200 : 503, `${wrong.join("\n") || "ok"}\n`);
  }

  async function figures(response: ServerResponse): Promise<void> {
    const text = await metrics.text().catch(() => null);
    if (text === null) say(response, 503, "the store cannot be reached\n");
    else response.writeHead(200, { "content-type": metrics.contentType }).end(text);
  }

  return async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0];
    if (path === "/healthz") return say(response, healthy() ? 200 : 503, healthy() ? "ok\n" : "not ready\n");
    if (path === "/readyz") return readyz(response);
    if (path === "/metrics") return figures(response);
    if (path === slack?.path && !ready()) return void response.writeHead(503).end();
    if (path === slack?.path && request.method === "POST") return slack?.answer(request, response);
    const url = await caseAt(path ?? "").catch(() => null);
    if (url !== null) return void response.writeHead(302, { location: url, "referrer-policy": "no-referrer" }).end();
    return web(request, response);
  };
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain" }).end(text);
}

async function inTime(work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), STORE_MS);
  });
  const done = work.then(
    () => true,
    () => false,
  );
  const there = await Promise.race([done, late]);
  clearTimeout(timer);
  return there;
}
