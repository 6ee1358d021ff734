// chat.*: posting, changing, unfurling.
import { type Args, forApps, type Method, type MethodDeps, no, ok, refusal, text } from "./method.ts";
import { type Payload, refuseBlocks, refuseMessage } from "./payload.ts";
import { type Channel, type FakeMessage, isMember, type Json } from "./world.ts";
import { linksIn } from "./written.ts";

export function chatMethods({ world, heard }: MethodDeps): Record<string, Method> {
  const { bot } = world;

  /** Where the bot may write: null, or Slack's word for why not. */
  function closed(channel: Channel | undefined): string | null {
    if (!channel) return "channel_not_found";
    if (channel.archived) return "is_archived";
    if (isMember(channel, bot.user)) return null;
    return channel.kind === "channel" ? "not_in_channel" : "channel_not_found";
  }

  function read(args: Args): Omit<FakeMessage, "channel" | "ts" | "user"> {
    const { thread_ts, blocks, attachments, metadata } = args as Args & Payload & { thread_ts?: string };
    return {
      text: text(args.text),
      ...(thread_ts ? { thread_ts } : {}),
      ...(blocks ? { blocks: named(blocks as NonNullable<FakeMessage["blocks"]>) } : {}),
      ...(attachments ? { attachments: attachments as Json[] } : {}),
      ...(metadata ? { metadata: metadata as NonNullable<FakeMessage["metadata"]> } : {}),
    };
  }

  /** Slack names the blocks that have no name. */
  function named(blocks: NonNullable<FakeMessage["blocks"]>): NonNullable<FakeMessage["blocks"]> {
    return blocks.map((block) => ({ ...block, block_id: block.block_id ?? world.nextId("b") }));
  }

  return {
    "chat.postMessage": (args) => {
      const channel = world.channels.get(text(args.channel));
      const why = closed(channel);
      if (why) return no(why);
      const refused = refusal(refuseMessage(args as Payload));
      if (refused) return refused;
      const message = { channel: text(args.channel), ts: world.nextTs(), user: bot.user, ...read(args) };
      world.messages.push(message);
      heard.posted(message);
      return ok({ channel: message.channel, ts: message.ts, message: forApps(message, world) });
    },
    "chat.update": (args) => {
      const channel = world.channels.get(text(args.channel));
      if (!channel) return no("channel_not_found");
      const there = world.find(text(args.channel), text(args.ts));
      if (!there || there.ephemeral) return no("message_not_found");
      if (there.user !== bot.user) return no("cant_update_message");
      const why = closed(channel);
      if (why) return no(why);
      const refused = refusal(refuseMessage(args as Payload, "changed"));
      if (refused) return refused;
      const before = structuredClone(there);
      const fresh = read(args);
      // With a text and no blocks the old blocks go.
      if (args.text !== undefined && args.blocks === undefined) delete there.blocks;
      Object.assign(there, fresh, { thread_ts: there.thread_ts ?? fresh.thread_ts });
      if (!there.thread_ts) delete there.thread_ts;
      heard.changed(there, before);
      return ok({ channel: there.channel, ts: there.ts, text: there.text });
    },
    "chat.delete": (args) => {
      const there = world.find(text(args.channel), text(args.ts));
      if (!there || there.ephemeral) return no("message_not_found");
      if (there.user !== bot.user) return no("cant_delete_message");
      world.messages.splice(world.messages.indexOf(there), 1);
      heard.deleted(there);
      return ok({ channel: there.channel, ts: there.ts });
    },
    "chat.postEphemeral": (args) => {
      const channel = world.channels.get(text(args.channel));
      const why = closed(channel);
      if (why) return no(why);
      if (!isMember(channel, text(args.user))) return no("user_not_in_channel");
      const refused = refusal(refuseMessage(args as Payload, "changed"));
      if (refused) return refused;
      const ts = world.nextTs();
      const { metadata: _gone, ...rest } = read(args);
      world.messages.push({ channel: text(args.channel), ts, user: bot.user, ephemeral: text(args.user), ...rest });
      return ok({ message_ts: ts });
    },
    "chat.getPermalink": (args) => {
      const channel = world.channels.get(text(args.channel));
      if (!channel) return no("channel_not_found");
      const there = world.find(channel.id, text(args.message_ts));
      if (!there) return no("message_not_found");
      const reply =
        there.thread_ts && there.thread_ts !== there.ts ? `?thread_ts=${there.thread_ts}&cid=${channel.id}` : "";
      const permalink = `https://${world.domain}.slack.com/archives/${channel.id}/p${there.ts.replace(".", "")}${reply}`;
      return ok({ channel: channel.id, permalink });
    },
    "chat.unfurl": (args) => {
      const unfurls = args.unfurls as Record<string, Json> | undefined;
      if (!unfurls || typeof unfurls !== "object") return no("missing_unfurls");
      if (args.unfurl_id && args.source === "composer") return ok();
      const there = world.find(text(args.channel), text(args.ts));
      if (!there) return no("cannot_find_message");
      const links = linksIn(there.text);
      if (Object.keys(unfurls).some((url) => !links.includes(url))) return no("cannot_unfurl_url");
      for (const { blocks } of Object.values(unfurls)) {
        const refused = refusal(refuseBlocks(blocks));
        if (refused) return refused;
      }
      const before = structuredClone(there);
      const kept = (there.attachments ?? []).filter(
        ({ app_unfurl_url }) => !Object.hasOwn(unfurls, String(app_unfurl_url)),
      );
      there.attachments = [
        ...kept,
        ...Object.entries(unfurls).map(([url, one]) => ({ ...one, is_app_unfurl: true, app_unfurl_url: url })),
      ];
      heard.changed(there, before);
      return ok();
    },
  };
}
