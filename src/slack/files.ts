// Fetches the files of a message from Slack. The bot's token goes to Slack's own hosts and nowhere else.
import type { webApi } from "@slack/bolt";
import type { Attached } from "../reading/read.ts";
import { MOST_BYTES } from "../reading/read.ts";
import { Unreadable } from "../reading/unreadable.ts";
import { isObject } from "./delivery.ts";
import { platformError } from "./failure.ts";
import { type FileRef, mayBeText, toRef } from "./file-refs.ts";
import type { RecordSlack } from "./happened.ts";

export interface FilesDeps {
  client: Pick<webApi.WebClient, "files">;
  fetch: typeof globalThis.fetch;
  botToken: string;
  /** Another Web API than Slack's: a fake or a gateway, which gives the files as well. */
  apiUrl: string | null;
  sleep(ms: number): Promise<void>;
  record: RecordSlack;
}

export type Attach = (ref: FileRef) => Promise<Attached>;

const TRIES = 3;
const LONGEST_MS = 120_000;
const REDIRECTS = 3;

export function createFiles(deps: FilesDeps): Attach {
  const { client, fetch, botToken, apiUrl, sleep, record } = deps;

  async function* bytes(ref: FileRef): AsyncIterable<Uint8Array> {
    if (ref.gone) throw new Unreadable("gone");
    if (ref.external) throw new Unreadable("elsewhere");
    if (!mayBeText(ref)) throw new Unreadable("not-text");
    if (ref.size > MOST_BYTES) throw new Unreadable("too-large");
    const response = await fetched(ref);
    let began = false;
    try {
      for await (const chunk of response.body ?? []) {
        began = true;
        yield chunk;
      }
    } catch (error) {
      // Only what goes wrong on the way; what a reader throws does not come here.
      throw lost(ref, began ? "it broke off" : "nothing came", error);
    }
  }

  /** The answer that holds the file; whatever else Slack says is told apart here. */
  async function fetched(ref: FileRef): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const response = await get(ref).catch((error: unknown) => {
        if (error instanceof Unreadable) throw error;
        if (isCut(error) || tries >= TRIES) throw lost(ref, "no answer", error);
        return null;
      });
      if (response?.ok && !isSignIn(response, ref)) return response;
      await response?.body?.cancel();
      const status = response?.status ?? 0;
      if (response && status !== 429 && status < 500) {
        // No file, but the page for signing in, or a refusal: Slack says why where it is asked.
        if (status === 404 || status === 410) throw new Unreadable("gone");
        await ask(ref);
        // A canvas is a page of its own kind, and no file.
        throw new Unreadable(response.ok ? "not-text" : "not-fetched");
      }
      if (tries >= TRIES) throw lost(ref, `status ${status}`);
      await sleep(Math.min(Number(response?.headers.get("retry-after")) || tries, 30) * 1000);
    }
  }

  function lost({ id }: FileRef, why: string, error?: unknown): unknown {
    // We are being stopped: the delivery stays written down, and the file is fetched after the next start.
    if (isCut(error)) return error;
    record({ kind: "file-not-fetched", file: id, why, ...(error === undefined ? {} : { error }) });
    return new Unreadable("not-fetched", error);
  }

  /** One try. Follows Slack's own redirects only. */
  async function get(ref: FileRef): Promise<Response> {
    let url = ref.url;
    for (let hops = 0; hops <= REDIRECTS; hops++) {
      if (!isSlacks(url, apiUrl)) break;
      const response = await fetch(url, {
        headers: { authorization: `Bearer ${botToken}` },
        redirect: "manual",
        signal: AbortSignal.timeout(LONGEST_MS),
      });
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || location === null) return response;
      await response.body?.cancel();
      url = URL.canParse(location, url) ? new URL(location, url).href : "";
    }
    record({ kind: "file-not-fetched", file: ref.id, why: "it lies on a host that is not Slack's" });
    throw new Unreadable("elsewhere");
  }

  /** What Slack says of the file now. */
  async function ask(ref: FileRef): Promise<FileRef> {
    try {
      const { file } = await client.files.info({ file: ref.id });
      const found = toRef(isObject(file) ? file : {});
      if (found.gone) throw new Unreadable("gone");
      if (found.external) throw new Unreadable("elsewhere");
      return found;
    } catch (error) {
      const why = platformError(error);
      if (why === null) throw error;
      record({ kind: "file-not-fetched", file: ref.id, why });
      if (why === "missing_scope") throw new Unreadable("no-scope", error);
      throw new Unreadable(why === "file_not_found" || why === "file_deleted" ? "gone" : "not-fetched", error);
    }
  }

  /** Of another company's file, and of one whose address we did not keep, Slack is asked first. */
  return async (ref) => {
    if (ref.gone || ref.url !== "") return { name: ref.name, bytes: () => bytes(ref) };
    try {
      const found = await ask(ref);
      return { name: found.name, bytes: () => bytes(found) };
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return { name: ref.name, bytes: () => failing(error) };
    }
  };
}

function failing(error: Unreadable): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
}

function isCut(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** Without the right to read files Slack shows a page to sign in, with status 200. */
function isSignIn(response: Response, { mimetype }: FileRef): boolean {
  return /^text\/html\b/i.test(response.headers.get("content-type") ?? "") && !/html/i.test(mimetype);
}

/** Slack's hosts over https, or the one that stands in for Slack's Web API. */
export function isSlacks(url: string, apiUrl: string | null): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host, hostname, port } = new URL(url);
  if (protocol === "https:" && port === "" && /(?:^|\.)slack(?:-gov)?\.com$/.test(hostname)) return true;
  if (apiUrl === null) return false;
  const api = new URL(apiUrl);
  return protocol === api.protocol && host === api.host;
}
