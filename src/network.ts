// The way out to Slack: straight, or through the proxy that the environment names. A private certificate authority is Node's
// own matter (NODE_EXTRA_CA_CERTS), and holds for both.
import { type Dispatcher, EnvHttpProxyAgent, fetch as fetchBy } from "undici";
import type { Config } from "./config.ts";

export interface Network {
  fetch: typeof globalThis.fetch;
  /** What sockets go through; null where there is no proxy. */
  dispatcher: Dispatcher | null;
}

export function createNetwork({ proxy }: Pick<Config, "proxy">): Network {
  if (proxy.https === null) return { fetch: globalThis.fetch, dispatcher: null };
  // The empty text keeps it from looking into the environment by itself.
  const dispatcher = new EnvHttpProxyAgent({ httpsProxy: proxy.https, httpProxy: "", noProxy: proxy.except ?? "" });
  const fetchThrough = (url: string, init?: object): Promise<unknown> => fetchBy(url, { ...init, dispatcher });
  return { fetch: fetchThrough as typeof globalThis.fetch, dispatcher };
}
