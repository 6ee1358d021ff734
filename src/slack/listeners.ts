// Translates Slack's events and clicks, and hands them on. No block JSON, no decisions.
import type { App, BlockAction, Context } from "@slack/bolt";
import * as z from "zod";
import type { Team } from "./answering.ts";
import { Click, Look, MORE, OUTCOMES } from "./buttons.ts";
import type { Clicker, Clicking } from "./clicking.ts";
import { doorsOf } from "./delivery.ts";
import type { Gate } from "./gate.ts";
import { LinkShared } from "./links.ts";
import { hear, type MessageEvent } from "./message.ts";

export interface ListenerDeps {
  gate: Gate;
  clicking: Clicking;
  /** A message that was deleted takes its quotes along. */
  forget(message: { team: string; channel: string; ts: string }): Promise<void>;
  bot: string;
}

export function listen(app: App, { gate, clicking, forget, bot }: ListenerDeps): void {
  async function onMessage(event: unknown, context: Context, body: object): Promise<void> {
    const heard = hear(event as MessageEvent, bot);
    const team = teamOf(context);
    const asMention = (event as MessageEvent).type === "app_mention";
    if (heard.kind === "said") await gate.message(heard.said, team, { shared: isShared(body), asMention });
    if (heard.kind === "deleted") await forget({ team: team.team, channel: heard.channel, ts: heard.ts });
  }

  app.event("message", ({ event, context, body }) => onMessage(event, context, body));
  app.event("app_mention", ({ event, context, body }) => onMessage(event, context, body));

  app.event("link_shared", ({ event, context, body }) =>
    gate.links(LinkShared.parse(event), teamOf(context), isShared(body)),
  );

  app.shortcut({ type: "message_action", callback_id: DIAGNOSE }, async ({ ack, shortcut, context }) => {
    await ack();
    const { message, channel, user, delivery_id, response_url } = Shortcut.parse(shortcut);
    const name = user.name ?? user.username;
    await gate.pointed(
      {
        channel: channel.id,
        ts: message.ts,
        thread: message.thread_ts ?? message.ts,
        message,
        reference: delivery_id,
        by: { id: user.id, ...(name ? { name } : {}) },
        responseUrl: response_url ?? null,
      },
      teamOf(context),
    );
  });

  app.command(COMMAND, async ({ ack, command, context }) => {
    await ack();
    const {
      text,
      channel_id: channel,
      user_id,
      user_name,
      response_url,
      trigger_id,
      delivery_id,
    } = Typed.parse(command);
    await gate.command(
      {
        text,
        channel,
        by: { id: user_id, ...(user_name ? { name: user_name } : {}) },
        reference: delivery_id,
        responseUrl: response_url ?? null,
        trigger: trigger_id ?? null,
      },
      teamOf(context),
    );
  });

  app.action(/^answer:/, async ({ ack, action, body, context }) => {
    await ack();
    const click = Click.parse(JSON.parse(buttonValue(action)));
    await clicking.answer({ team: teamOf(context).team, id: click.case }, click, clickerOf(body));
  });

  app.action(/^more:/, async ({ ack, action, body, context }) => {
    await ack();
    const { verb, seen } = More.parse(optionOf(action));
    await clicking.more({ team: teamOf(context).team, id: after(action, "more:") }, verb, seen, clickerOf(body));
  });

  app.action(/^hand-over:/, async ({ ack, action, body, context }) => {
    await ack();
    const { selected_user } = z.object({ selected_user: z.string().min(1) }).parse(action);
    const id = { team: teamOf(context).team, id: after(action, "hand-over:") };
    await clicking.handOver(id, { id: selected_user }, clickerOf(body));
  });

  app.action(/^escalate:/, async ({ ack, action, body, context }) => {
    await ack();
    await clicking.escalate({ team: teamOf(context).team, id: buttonValue(action) }, clickerOf(body));
  });

  app.action(/^close:/, async ({ ack, action, body, context }) => {
    await ack();
    const outcome = z.enum(OUTCOMES).parse(after(action, "close:"));
    await clicking.close({ team: teamOf(context).team, id: buttonValue(action) }, outcome, clickerOf(body));
  });

  app.action(/^look:/, async ({ ack, action, body, context }) => {
    await ack();
    const look = Look.parse(JSON.parse(buttonValue(action)));
    const { channel, person } = clickerOf(body);
    const { delivery_id } = z.object({ delivery_id: z.string() }).parse(body);
    await gate.look({ ...look, channel, by: person, reference: delivery_id }, teamOf(context));
  });

  app.action(/^show-lines:/, async ({ ack, action, body, context }) => {
    await ack();
    await clicking.showLines({ team: teamOf(context).team, id: after(action, "show-lines:") }, clickerOf(body));
  });
}

/** As manifest.yml names it. */
const DIAGNOSE = "diagnose";
const COMMAND = "/firstfault";

const Typed = z.object({
  text: z.string().default(""),
  channel_id: z.string(),
  user_id: z.string(),
  user_name: z.string().optional(),
  response_url: z.string().optional(),
  trigger_id: z.string().optional(),
  delivery_id: z.string(),
});

const Shortcut = z.object({
  message: z.object({
    ts: z.string(),
    thread_ts: z.string().optional(),
    text: z.unknown().optional(),
    files: z.unknown().optional(),
    user: z.unknown().optional(),
    bot_id: z.unknown().optional(),
  }),
  channel: z.object({ id: z.string() }),
  user: z.object({ id: z.string(), name: z.string().optional(), username: z.string().optional() }),
  delivery_id: z.string(),
  response_url: z.string().optional(),
});

/** "back:7" carries the entry the person looked at. */
const More = z
  .string()
  .transform((value) => value.split(":"))
  .pipe(z.tuple([z.enum(MORE)], z.string()))
  .transform(([verb, seen]) => ({ verb, seen: seen === undefined ? null : Number(seen) }));

/** Another company is in the channel. */
function isShared(body: object): boolean {
  return "is_ext_shared_channel" in body && body.is_ext_shared_channel === true;
}

function teamOf({ teamId, enterpriseId }: Context): Team {
  return { team: teamId ?? enterpriseId ?? "", enterprise: enterpriseId ?? "" };
}

function clickerOf(body: unknown): Clicker {
  const { user, channel, container, message, delivery_attempt } = Clicked.parse(body);
  const name = user.name ?? user.username;
  return {
    person: { id: user.id, ...(name ? { name } : {}) },
    channel: channel?.id ?? container?.channel_id ?? "",
    thread: container?.thread_ts ?? message?.thread_ts ?? container?.message_ts ?? "",
    trigger: doorsOf(body).trigger_id ?? null,
    again: delivery_attempt > 1,
  };
}

const Clicked = z.object({
  delivery_attempt: z.number().default(1),
  user: z.object({ id: z.string(), name: z.string().optional(), username: z.string().optional() }),
  channel: z.object({ id: z.string() }).optional(),
  container: z
    .object({
      channel_id: z.string().optional(),
      thread_ts: z.string().optional(),
      message_ts: z.string().optional(),
    })
    .optional(),
  message: z.object({ thread_ts: z.string().optional() }).optional(),
});

type Action = BlockAction["actions"][number] | object;

function buttonValue(action: Action): string {
  return "value" in action ? String(action.value) : "";
}

function optionOf(action: Action): string {
  return z.object({ selected_option: z.object({ value: z.string() }) }).parse(action).selected_option.value;
}

function after(action: Action, prefix: string): string {
  return "action_id" in action ? String(action.action_id).slice(prefix.length) : "";
}
