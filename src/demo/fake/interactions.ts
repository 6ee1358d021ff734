// What people do with an app: click, choose from a menu, use a shortcut or a command, fill in a modal. Slack sends these
// once; what is not acknowledged within three seconds has failed, and the person sees so.
import type { InstalledApp } from "./app.ts";
import type { Deliveries, Delivery } from "./delivery.ts";
import { forApps } from "./method.ts";
import { refuseView } from "./payload.ts";
import type { Responses } from "./responses.ts";
import { replaceView, shown, type Triggers } from "./views.ts";
import type { Refusal } from "./web-api.ts";
import type { FakeElement, FakeMessage, Json, OpenView, World } from "./world.ts";

/** A message as somebody sees it. */
export type Seen = Pick<FakeMessage, "channel" | "ts"> & Partial<FakeMessage>;

export interface Clicking {
  user?: string;
  /** What is chosen: an option's value, a person, a channel, a date, a text. */
  choose?: string;
  /** The click's moment, for one that is delivered twice. */
  at?: string;
}

export interface Interactions {
  /** On a message as the person sees it, which may be an older state of it, or on a modal. */
  click(on: Seen | OpenView | undefined, element: Partial<FakeElement>, clicking?: Clicking): Promise<Delivery>;
  /** A message shortcut of the app, by its callback_id. */
  shortcut(callbackId: string, on: Seen, by?: { user?: string }): Promise<Delivery>;
  command(command: string, text?: string, by?: { user?: string; channel?: string }): Promise<Delivery>;
  /** Fills in a modal, by action_id, and sends it. What the app finds wrong, by block_id. */
  submit(
    view: OpenView,
    values: Record<string, string | string[]>,
  ): Promise<{ delivery: Delivery; errors: Record<string, string> }>;
  /** Closes it without sending. */
  dismiss(view: OpenView): Promise<void>;
}

export function createInteractions(deps: {
  world: World;
  app: InstalledApp;
  deliveries: Deliveries;
  triggers: Triggers;
  responses: Responses;
  refusals: Refusal[];
}): Interactions {
  const { world, app, deliveries, triggers, responses, refusals } = deps;
  const { team, domain, bot } = world;

  /** What every interaction says about who and where. */
  function about(user: string): Json {
    const person = world.people.get(user);
    const name = person?.name ?? user;
    return {
      user: { id: user, username: name, name, team_id: person?.team ?? team },
      team: { id: team, domain },
      enterprise: null,
      is_enterprise_install: false,
      api_app_id: bot.app,
      token: "gIkuvaNzQIHg97ATvDxqgjtO",
      trigger_id: triggers.give(user),
    };
  }

  const interact = (payload: Json): Promise<Delivery> => deliveries.deliver({ kind: "interactive", payload });

  function whole(seen: Seen): FakeMessage {
    return { user: bot.user, text: "", ...seen };
  }

  function inMessage(seen: Seen | undefined, user: string): Json {
    const message = seen && whole(seen);
    const { channel = "", ts, thread_ts, ephemeral } = message ?? {};
    return {
      container: {
        type: "message",
        message_ts: ts,
        channel_id: channel,
        is_ephemeral: ephemeral !== undefined,
        ...(thread_ts ? { thread_ts } : {}),
      },
      channel: { id: channel, name: world.channels.get(channel)?.name || "directmessage" },
      // Of what one person sees, Slack sends no message along.
      ...(message && ephemeral === undefined ? { message: forApps(message, world) } : {}),
      response_url: responses.give({ channel, user, message }),
    };
  }

  return {
    click(on, element, { user = "U1", choose, at } = {}) {
      const isView = on !== undefined && "root_view_id" in on;
      const blocks = (on?.blocks ?? []) as { block_id?: string; elements?: { action_id?: string }[] }[];
      const block = blocks.find(({ elements }) => elements?.some((one) => one.action_id === element.action_id));
      const { options: _options, confirm: _confirm, ...rest } = element;
      return interact({
        type: "block_actions",
        ...about(user),
        ...(isView
          ? { container: { type: "view", view_id: on.id }, view: shown(on, world) }
          : inMessage(on as Seen | undefined, user)),
        state: { values: {} },
        actions: [
          {
            ...rest,
            ...chosen(element, choose),
            block_id: block?.block_id ?? "b",
            action_ts: at ?? world.nextTs(),
          },
        ],
      });
    },
    shortcut(callbackId, on, { user = "U1" } = {}) {
      if (!app.shortcuts.some((one) => one.type === "message" && one.callback_id === callbackId))
        throw new Error(`the app has no message shortcut ${callbackId}`);
      return interact({
        type: "message_action",
        callback_id: callbackId,
        ...about(user),
        message_ts: on.ts,
        action_ts: world.nextTs(),
        response_url: responses.give({ channel: on.channel, user }),
        message: forApps(whole(on), world),
        channel: { id: on.channel, name: world.channels.get(on.channel)?.name || "directmessage" },
      });
    },
    async command(command, text = "", { user = "U1", channel = "C1" } = {}) {
      if (!app.commands.includes(command)) throw new Error(`the app has no command ${command}`);
      const delivery = await deliveries.deliver({
        kind: "slash_commands",
        payload: {
          token: "gIkuvaNzQIHg97ATvDxqgjtO",
          api_app_id: bot.app,
          team_id: team,
          team_domain: domain,
          channel_id: channel,
          channel_name: world.channels.get(channel)?.name || "directmessage",
          user_id: user,
          user_name: world.people.get(user)?.name ?? user,
          command,
          text,
          is_enterprise_install: "false",
          response_url: responses.give({ channel, user }),
          trigger_id: triggers.give(user),
        },
      });
      responses.shown({ channel, user }, delivery.body);
      return delivery;
    },
    async submit(view, values) {
      const state = filledIn(view, values);
      const payload = {
        type: "view_submission",
        ...about(view.user),
        view: shown(view, world, state),
        response_urls: [],
      };
      const delivery = await interact(payload);
      if (delivery.outcome !== "acknowledged") return { delivery, errors: {} };
      return { delivery, errors: answered(view, delivery.body) };
    },
    async dismiss(view) {
      close(view);
      if (view.notify_on_close !== true) return;
      await interact({ type: "view_closed", ...about(view.user), view: shown(view, world), is_cleared: false });
    },
  };

  /** What the app wants done with the modal it was sent. */
  function answered(view: OpenView, body: unknown): Record<string, string> {
    const answer = (typeof body === "object" && body !== null ? body : {}) as Json;
    const refuse = (error: string, messages: string[] = []): Record<string, string> => {
      refusals.push({ method: "view_submission", error, messages });
      return {};
    };
    if (answer.response_action === undefined) close(view);
    else if (answer.response_action === "clear")
      world.views.splice(0, world.views.length, ...world.views.filter((one) => one.user !== view.user));
    else if (answer.response_action === "errors") {
      const errors = answer.errors as Record<string, string>;
      const inputs = view.blocks.filter(({ type }) => type === "input").map(({ block_id }) => block_id);
      const stray = Object.keys(errors ?? {}).filter((id) => !inputs.includes(id));
      if (!errors || stray.length > 0) return refuse("invalid_errors", stray);
      return errors;
    } else if (answer.response_action === "update" || answer.response_action === "push") {
      const refused = refuseView(answer.view);
      if (refused) return refuse(refused.error, refused.messages);
      if (answer.response_action === "update") replaceView(view, answer.view as Json, world);
      else
        world.views.push({
          ...(answer.view as OpenView),
          id: world.nextId("V"),
          user: view.user,
          previous_view_id: view.id,
        });
    } else return refuse("invalid_response_action");
    return {};
  }

  function close(view: OpenView): void {
    if (world.views.includes(view)) world.views.splice(world.views.indexOf(view), 1);
  }
}

/** What Slack adds to an element that was clicked. */
function chosen({ type, options = [] }: Partial<FakeElement>, choose: string | string[] | undefined): Json {
  if (choose === undefined) return {};
  const one = String(choose);
  const option = (value: string): Json => ({
    ...(options.find((found) => found.value === value) ?? { text: { type: "plain_text", text: value }, value }),
  });
  switch (type) {
    case "users_select":
      return { selected_user: one };
    case "conversations_select":
      return { selected_conversation: one };
    case "channels_select":
      return { selected_channel: one };
    case "datepicker":
      return { selected_date: one };
    case "checkboxes":
      return { selected_options: [choose].flat().map(option) };
    case "plain_text_input":
      return { value: one };
    default:
      return { selected_option: option(one) };
  }
}

/** `state.values` of a modal. Slack's own client sends nothing while a field is missing or too long. */
function filledIn(view: OpenView, values: Record<string, string | string[]>): Json {
  const state: Json = {};
  for (const block of view.blocks) {
    if (block.type !== "input") continue;
    const element = block.element as FakeElement & Json;
    const id = element.action_id ?? "";
    const given = values[id] ?? element.initial_value;
    if (given === undefined || given === "") {
      if (block.optional !== true && !initial(element)) throw new Error(`the field ${id} must be filled in`);
    }
    if (typeof given === "string" && given.length > Number(element.max_length ?? 3000))
      throw new Error(`the field ${id} takes ${element.max_length ?? 3000} characters`);
    const filled = given === undefined ? initial(element) : chosen(element, given as string);
    state[String(block.block_id)] = { [id]: { type: element.type, ...(filled ?? { value: null }) } };
  }
  return state;
}

/** What stands in a field before anyone touched it. */
function initial(element: FakeElement & Json): Json | null {
  if (element.initial_option) return { selected_option: element.initial_option };
  if (element.initial_options) return { selected_options: element.initial_options };
  if (element.initial_user) return { selected_user: element.initial_user };
  if (element.initial_conversation) return { selected_conversation: element.initial_conversation };
  if (element.initial_channel) return { selected_channel: element.initial_channel };
  if (element.initial_date) return { selected_date: element.initial_date };
  return null;
}
