// One call of the Web API: the weather first, then the keys, then the scope, then the method. What Slack refuses is
// written down.
import type { InstalledApp } from "./app.ts";
import { type Args, type Method, no, type Said } from "./method.ts";
import { scopeOf } from "./methods.ts";
import type { Weather, WeatherInside } from "./weather.ts";
import type { World } from "./world.ts";

export interface Call {
  method: string;
  args: Args;
  at: number;
  /** Slack's word for it: "ok", an error, or what the weather did. */
  outcome: string;
}

/** A call that the real Slack would have refused for what was in it: a fault of the app. */
export interface Refusal {
  method: string;
  error: string;
  messages: string[];
}

export type Answer = { status: number; headers?: Record<string, string>; body: string } | "no answer";

export interface WebApi {
  call(method: string, args: Args, token: string, isGone: () => boolean): Promise<Answer>;
  calls: Call[];
  refusals: Refusal[];
  /** How many calls are not answered yet. */
  underWay(): number;
}

/** What a test brings about on purpose, and a bot must live with. Every other "no" is the bot's own fault. */
const ORDINARY = new Set([
  "channel_not_found",
  "not_in_channel",
  "is_archived",
  "user_not_in_channel",
  "message_not_found",
  "cant_update_message",
  "thread_not_found",
  "user_not_found",
  "file_not_found",
  "cannot_find_message",
  "expired_trigger_id",
  "not_found",
  "hash_conflict",
  "token_revoked",
]);

/** JSON arguments come as text in a form. */
const STRUCTURED = new Set(["blocks", "attachments", "metadata", "view", "unfurls", "files"]);

export function createWebApi(deps: {
  world: World;
  app: InstalledApp;
  weather: WeatherInside;
  methods: Record<string, Method>;
}): WebApi {
  const { world, app, weather, methods } = deps;
  const calls: Call[] = [];
  const refusals: Refusal[] = [];

  function doIt(method: string, args: Args, token: string): Said {
    const key = method === "apps.connections.open" ? app.appToken : app.botToken;
    if (token === "") return no("not_authed");
    if (app.revoked && (token === app.botToken || token === app.appToken)) return no("token_revoked");
    if (token !== key)
      return no(token === app.botToken || token === app.appToken ? "not_allowed_token_type" : "invalid_auth");
    const todo = methods[method];
    if (!todo) return no("unknown_method");
    const needed = scopeOf(method, args, world);
    if (needed && !app.scopes.has(needed)) return no("missing_scope", { needed, provided: [...app.scopes].join(",") });
    const read = structured(args);
    return read ? todo(read) : no("invalid_arguments", { response_metadata: { messages: ["not JSON"] } });
  }

  /** Does the call and writes down what Slack would have refused. */
  function done(call: Call, token: string): Answer {
    const said = doIt(call.method, call.args, token);
    call.outcome = said.ok ? "ok" : said.error;
    if (!said.ok && !ORDINARY.has(said.error) && (said.error !== "missing_scope" || app.whole)) {
      const { messages = [] } = (said.response_metadata ?? {}) as { messages?: string[] };
      refusals.push({ method: call.method, error: said.error, messages });
    }
    return { status: 200, body: JSON.stringify(said) };
  }

  let underWay = 0;

  return {
    calls,
    refusals,
    underWay: () => underWay,
    async call(...given) {
      underWay++;
      try {
        return await answer(...given);
      } finally {
        underWay--;
      }
    },
  };

  async function answer(method: string, args: Args, token: string, isGone: () => boolean): Promise<Answer> {
    const channel = typeof args.channel === "string" ? args.channel : "";
    const call: Call = { method, args, at: Date.now(), outcome: "unanswered" };
    calls.push(call);
    const blows: Weather | null = await weather.take(method, channel);
    // Whoever called is gone: nothing was done yet, and nothing will be.
    if (isGone()) return "no answer";
    if (blows === null) return done(call, token);
    if (blows === "dropped") {
      call.outcome = "dropped";
      return "no answer";
    }
    if (blows === "lost") {
      done(call, token);
      return "no answer";
    }
    if ("stalls" in blows) {
      const answer = done(call, token);
      await new Promise((resolve) => setTimeout(resolve, blows.stalls).unref());
      return answer;
    }
    if ("limited" in blows) {
      call.outcome = "ratelimited";
      const headers = { "retry-after": String(blows.limited) };
      return { status: 429, headers, body: JSON.stringify({ ok: false, error: "ratelimited" }) };
    }
    if ("status" in blows) {
      call.outcome = String(blows.status);
      return { status: blows.status, body: "upstream error" };
    }
    call.outcome = blows.error;
    return { status: 200, body: JSON.stringify(no(blows.error)) };
  }
}

/** null where an argument that must be JSON is none. */
function structured(args: Args): Args | null {
  try {
    return Object.fromEntries(
      Object.entries(args).map(([key, value]) => [
        key,
        STRUCTURED.has(key) && typeof value === "string" ? (JSON.parse(value) as unknown) : value,
      ]),
    );
  } catch {
    return null;
  }
}
