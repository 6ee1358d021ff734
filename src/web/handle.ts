// Request in, page out. Read only: nothing a visitor sends is kept or shown.
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Language } from "../facts/language.ts";
import { acceptsGzip, languageFor } from "./accepts.ts";
import { notFoundPage } from "./notices.ts";
import { CONTENT_POLICY, hereAt } from "./page.ts";
import type { Site } from "./site.ts";

export interface WebDeps {
  site: Site;
  /** Where a browser asks for no language that there is. */
  language: Language;
  /** FIRSTFAULT_BASE_URL: its path may stand before every address, and its host is ours. */
  baseUrl: string | null;
  /** Bound to this machine only: then a page of somebody else's must not reach us under a name of its own. */
  loopback: boolean;
}

const HEADERS = {
  "content-security-policy": `${CONTENT_POLICY}; frame-ancestors 'none'`,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
const PLAIN = { ...HEADERS, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };

export async function handle(request: Request, deps: WebDeps): Promise<Response> {
  const url = new URL(request.url);
  if (!isOurs(url, deps)) {
    return new Response("This address is not served here. Use http://localhost, or set FIRSTFAULT_BASE_URL.\n", {
      status: 421,
      headers: PLAIN,
    });
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response("These pages are read only: GET and HEAD.\n", {
      status: 405,
      headers: { ...PLAIN, allow: "GET, HEAD" },
    });
  }
  const path = pathBelow(url.pathname, deps.baseUrl);
  const language = languageFor(request.headers.get("accept-language"), deps.language);
  if (path === "") return redirect(302, `${lastPart(url.pathname)}${language}/`, { vary: "accept-language" });

  const text = deps.site.page(path);
  if (text !== undefined) return send(request, { status: 200, text });
  if (deps.site.paths.includes(`${path}/`)) return redirect(308, `${path.split("/").at(-1)}/`);

  const spoken = path.startsWith("zh/") ? "zh" : path.startsWith("en/") ? "en" : language;
  const here = hereAt(path, { language: spoken, files: false });
  return send(request, { status: 404, text: notFoundPage(here, deps.site.views(spoken)) });
}

/** A name that leads to this machine is ours only where it is one of this machine's own, or the public one. */
function isOurs({ hostname }: URL, { loopback, baseUrl }: WebDeps): boolean {
  if (!loopback) return true;
  if (baseUrl !== null && hostname === new URL(baseUrl).hostname) return true;
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Without its first slash, and without the path of the public address, which a proxy may leave or take away. */
function pathBelow(path: string, baseUrl: string | null): string {
  const base = baseUrl === null ? "/" : `${new URL(baseUrl).pathname.replace(/\/+$/, "")}/`;
  if (`${path}/` === base) return "";
  return path.startsWith(base) ? path.slice(base.length) : path.slice(1);
}

/** A relative address begins behind the last slash. */
function lastPart(path: string): string {
  const last = path.split("/").at(-1);
  return last ? `${last}/` : "";
}

/** Relative, so that it holds behind any proxy. */
function redirect(status: number, location: string, more: Record<string, string> = {}): Response {
  return new Response(null, { status, headers: { ...HEADERS, ...more, location, "cache-control": "no-cache" } });
}

const pack = promisify(gzip);

async function send(request: Request, { status, text }: { status: number; text: string }): Promise<Response> {
  const zipped = acceptsGzip(request.headers.get("accept-encoding"));
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}${zipped ? "-gzip" : ""}"`;
  const headers: Record<string, string> = {
    ...HEADERS,
    "content-type": "text/html; charset=utf-8",
    // Kept by the browser, but asked for again: an upgrade shows at once.
    "cache-control": status === 200 ? "no-cache" : "no-store",
    vary: "accept-encoding",
    ...(status === 200 ? { etag } : {}),
  };
  if (status === 200 && isKnown(request.headers.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers });
  }
  const body = zipped ? await pack(text) : Buffer.from(text);
  if (zipped) headers["content-encoding"] = "gzip";
  headers["content-length"] = String(body.length);
  return new Response(request.method === "HEAD" ? null : new Uint8Array(body), { status, headers });
}

function isKnown(header: string | null, etag: string): boolean {
  return (header ?? "").split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag);
}
