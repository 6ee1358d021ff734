// Files that people put into the workspace, and what an app gets when it asks for one.
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname } from "node:path";
import { pipeline } from "node:stream/promises";
import type { InstalledApp } from "./app.ts";
import type { Json, World } from "./world.ts";

export interface GivenFile {
  name: string;
  /** A function for what is too large to hold: it is called for every download. */
  content: string | Uint8Array | (() => AsyncIterable<Uint8Array>);
  /** A snippet is typed or pasted into Slack; its beginning stands in the message. */
  snippet?: boolean;
  mimetype?: string;
  /** What Slack says of its size, where that is not what `content` holds. */
  size?: number;
  /** Where a download is sent on to, instead of the content. */
  redirects?: string;
}

export interface Download {
  file: string;
  /** With the bot's token; without it Slack shows its page for signing in, with status 200. */
  authorized: boolean;
}

/** What an app is sending. */
interface Opened {
  name: string;
  length: number;
  bytes: Buffer | null;
}

export interface Files {
  add(file: GivenFile, by: { user: string; channel: string; id?: string }): Json;
  info(id: string): Json | undefined;
  remove(id: string): void;
  open(name: string, length: number): { id: string; url: string };
  /** The bytes of an opened file; false where there is none, or they are not as many as were told. */
  receive(path: string, bytes: Buffer): boolean;
  finish(id: string, channel: string): Json | undefined;
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
  downloads: Download[];
}

const SIGN_IN = "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body>Sign in to acme</body></html>";
const PREVIEW_LINES = 5;
const TYPES: Record<string, [filetype: string, mimetype: string]> = {
  ".log": ["text", "text/plain"],
  ".txt": ["text", "text/plain"],
  ".gz": ["gzip", "application/gzip"],
  ".zip": ["zip", "application/zip"],
  ".csv": ["csv", "text/csv"],
  ".json": ["javascript", "application/json"],
  ".png": ["png", "image/png"],
};

export function createFiles({ world, app, base }: { world: World; app: InstalledApp; base: () => string }): Files {
  const files = new Map<string, { given: GivenFile; info: Json }>();
  const downloads: Download[] = [];
  const opened = new Map<string, Opened>();

  const all: Files = {
    downloads,
    add(given, { user, channel, id = world.nextId("F") }) {
      const [filetype, mimetype] = TYPES[extname(given.name)] ?? ["binary", "application/octet-stream"];
      const held = typeof given.content === "function" ? null : Buffer.from(given.content);
      const url = `${base()}/files-pri/${world.team}-${id}`;
      const name = encodeURIComponent(given.name.toLowerCase());
      const shown =
        given.snippet && held ? { preview: held.toString().split("\n").slice(0, PREVIEW_LINES).join("\n") } : {};
      const info = {
        id,
        created: Math.floor(Date.now() / 1000),
        timestamp: Math.floor(Date.now() / 1000),
        name: given.name,
        title: given.name,
        mimetype: given.mimetype ?? mimetype,
        filetype: given.snippet ? "text" : filetype,
        pretty_type: given.snippet ? "Plain Text" : filetype,
        user,
        user_team: world.people.get(user)?.team ?? world.team,
        editable: given.snippet ?? false,
        size: given.size ?? held?.length ?? 0,
        mode: given.snippet ? "snippet" : "hosted",
        is_external: false,
        external_type: "",
        is_public: true,
        public_url_shared: false,
        display_as_bot: false,
        url_private: `${url}/${name}`,
        url_private_download: `${url}/download/${name}`,
        permalink: `https://${world.domain}.slack.com/files/${user}/${id}/${name}`,
        channels: [channel],
        has_rich_preview: false,
        file_access: "visible",
        ...shown,
      };
      files.set(id, { given, info });
      return info;
    },
    info: (id) => files.get(id)?.info,
    remove: (id) => void files.delete(id),
    open(name, length) {
      const id = world.nextId("F");
      opened.set(id, { name, length, bytes: null });
      return { id, url: `${base()}/upload/${id}` };
    },
    receive(path, bytes) {
      const one = opened.get(path.slice("/upload/".length));
      if (!one || bytes.length !== one.length) return false;
      one.bytes = bytes;
      return true;
    },
    finish(id, channel) {
      const one = opened.get(id);
      opened.delete(id);
      return one?.bytes
        ? all.add({ name: one.name, content: one.bytes }, { user: world.bot.user, channel, id })
        : undefined;
    },
    async serve(request, response, path) {
      const id = /^\/files-pri\/[^/-]+-([^/]+)\//.exec(path)?.[1] ?? "";
      const file = files.get(id);
      const authorized =
        request.headers.authorization === `Bearer ${app.botToken}` && app.scopes.has("files:read") && !app.revoked;
      downloads.push({ file: id, authorized });
      if (!file) return void response.writeHead(404).end();
      if (!authorized) return void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(SIGN_IN);
      const { given, info } = file;
      if (given.redirects) return void response.writeHead(302, { location: given.redirects }).end();
      response.writeHead(200, { "content-type": String(info.mimetype) });
      if (typeof given.content === "function") return pipeline(given.content(), response);
      response.end(Buffer.from(given.content));
    },
  };
  return all;
}
