// What one delivery from Slack is: its id, its thread, and what of it we write down.
import { createHash } from "node:crypto";

type Json = Record<string, unknown>;

export interface Arrived {
  team: string;
  /** The same for every re-delivery. */
  id: string;
  /** Deliveries of one thread are worked on in their order. */
  lane: string;
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** null for what we could do nothing with: no event, click, shortcut, command or form. */
export function arrived(body: unknown): Arrived | null {
  if (!isObject(body)) return null;
  const team = text(body.team_id) || text(object(body.team).id) || text(object(body.user).team_id);
  const { event } = body;
  if (body.type === "event_callback" || event !== undefined) {
    const id = text(body.event_id);
    if (!isObject(event) || text(event.type) === "" || id === "") return null;
    const about = isObject(event.message)
      ? event.message
      : isObject(event.previous_message)
        ? event.previous_message
        : event;
    const thread = text(about.thread_ts) || text(about.ts) || text(event.deleted_ts) || id;
    return { team, id, lane: `${team}/${text(event.channel)}/${thread}` };
  }
  if (text(body.command) !== "") {
    // What opens a modal is different at every use. It is a key as well, so that only its hash is kept.
    const use = createHash("sha256").update(text(body.trigger_id)).digest("hex").slice(0, 32);
    if (text(body.trigger_id) === "" || text(body.user_id) === "") return null;
    return { team, id: `command:${use}`, lane: `${team}/${text(body.channel_id)}/command:${use}` };
  }
  if (body.type === "message_action") {
    const message = object(body.message);
    const thread = text(message.thread_ts) || text(body.message_ts) || text(message.ts);
    const id = ["shortcut", text(body.action_ts), text(object(body.user).id), text(body.callback_id)].join(":");
    return { team, id, lane: `${team}/${text(object(body.channel).id)}/${thread}` };
  }
  if (body.type === "view_submission") {
    const view = object(body.view);
    // Each state of a form is sent once.
    return { team, id: ["form", text(view.id), text(view.hash)].join(":"), lane: `${team}/form/${text(view.id)}` };
  }
  const actions = Array.isArray(body.actions) ? body.actions : [];
  const action: unknown = actions[0];
  if (body.type !== "block_actions" || !isObject(action)) return null;
  const container = object(body.container);
  const message = object(body.message);
  const thread = text(container.thread_ts) || text(message.thread_ts) || text(container.message_ts);
  const channel = text(object(body.channel).id) || text(container.channel_id);
  // A click has no event id; its moment, person and button are one.
  const user = text(object(body.user).id);
  const id = ["click", text(action.action_ts), user, text(action.action_id)].join(":");
  // A form must open within three seconds: it waits for nothing in its thread.
  if (opensForm(action)) return { team, id, lane: `${team}/form/${user}` };
  return { team, id, lane: `${team}/${channel}/${thread}` };
}

function opensForm(action: Json): boolean {
  return text(object(action.selected_option).value) === "wrong";
}

/** What Slack hands out for one use: to open a form within three seconds, and to answer where we may not write. */
export interface Doors {
  trigger_id?: string;
  response_url?: string;
}

export function doorsOf(body: unknown): Doors {
  const { trigger_id, response_url } = object(body);
  return {
    ...(typeof trigger_id === "string" ? { trigger_id } : {}),
    ...(typeof response_url === "string" ? { response_url } : {}),
  };
}

/** Keys that let someone act as Slack or as us, or that would hold a message's text a second time. */
const LEFT_OUT = new Set([
  "token",
  "response_url",
  "response_urls",
  "trigger_id",
  "bot_access_token",
  "blocks",
  "attachments",
  "state",
]);

/** All that is kept of a file: what it takes to fetch it again, and not its beginning, which Slack sends along. */
const OF_FILE = new Set([
  "id",
  "name",
  "size",
  "mimetype",
  "mode",
  "is_external",
  "file_access",
  "url_private",
  "url_private_download",
]);

/** The delivery as we write it down: every text redacted, nothing in it that opens a door. */
export function toKeep(body: unknown, redact: (text: string) => { text: string }): unknown {
  if (typeof body === "string") return redact(body).text;
  if (Array.isArray(body)) return body.map((item) => toKeep(item, redact));
  if (!isObject(body)) return body;
  if (body.type === "view_submission") return formToKeep(body, redact);
  return Object.fromEntries(
    Object.entries(body)
      .filter(([key]) => !LEFT_OUT.has(key))
      .map(([key, value]) => [key, toKeep(key === "files" ? references(value) : value, redact)]),
  );
}

function references(files: unknown): unknown {
  if (!Array.isArray(files)) return null;
  return files
    .filter(isObject)
    .map((file) => Object.fromEntries(Object.entries(file).filter(([key]) => OF_FILE.has(key))));
}

/** Of a form what it is about and what was filled in. */
function formToKeep({ type, team, user, view }: Json, redact: (text: string) => { text: string }): unknown {
  const { id, type: kind, callback_id, private_metadata, state } = object(view);
  const values = toKeep(object(object(state).values), redact);
  return { type, team, user, view: { id, type: kind, callback_id, private_metadata, state: { values } } };
}

function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
