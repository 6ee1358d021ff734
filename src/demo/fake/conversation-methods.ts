// conversations.*: what stands in a channel and in a thread, page by page.
import { type Args, flag, forApps, type Method, type MethodDeps, no, ok, text } from "./method.ts";
import { type Channel, type FakeMessage, isMember, type Json } from "./world.ts";

export function conversationMethods({ world }: MethodDeps): Record<string, Method> {
  const { bot } = world;

  /** A channel that the bot may look into, or Slack's word for why not. */
  function open(args: Args): Channel | string {
    const channel = world.channels.get(text(args.channel));
    if (!channel) return "channel_not_found";
    if (isMember(channel, bot.user)) return channel;
    return channel.kind === "channel" ? "not_in_channel" : "channel_not_found";
  }

  function page(all: FakeMessage[], args: Args, most: number): Json {
    const limit = Math.max(1, Math.min(Number(args.limit ?? most) || most, most));
    const from = Number(Buffer.from(text(args.cursor), "base64").toString().replace("next:", "")) || 0;
    const shown = all.slice(from, from + limit);
    const more = from + limit < all.length;
    return {
      messages: shown.map((message) => forApps(message, world, flag(args.include_all_metadata))),
      has_more: more,
      response_metadata: { next_cursor: more ? Buffer.from(`next:${from + limit}`).toString("base64") : "" },
    };
  }

  function within(message: FakeMessage, { oldest, latest, inclusive }: Args): boolean {
    const after = text(oldest) === "" || message.ts > text(oldest) || (flag(inclusive) && message.ts === oldest);
    const before = text(latest) === "" || message.ts < text(latest) || (flag(inclusive) && message.ts === latest);
    return after && before;
  }

  return {
    "conversations.replies": (args) => {
      const channel = open(args);
      if (typeof channel === "string") return no(channel);
      const thread = world.thread(channel.id, text(args.ts));
      if (thread.length === 0) return no("thread_not_found");
      return ok(
        page(
          thread.filter((one) => one.ts === args.ts || within(one, args)),
          args,
          1000,
        ),
      );
    },
    "conversations.history": (args) => {
      const channel = open(args);
      if (typeof channel === "string") return no(channel);
      const top = world.messages.filter(
        (one) => one.channel === channel.id && !one.ephemeral && (!one.thread_ts || one.thread_ts === one.ts),
      );
      return ok(page(top.filter((one) => within(one, args)).reverse(), args, 999));
    },
    "conversations.info": (args) => {
      const channel = world.channels.get(text(args.channel));
      if (!channel || (channel.kind !== "channel" && !isMember(channel, bot.user))) return no("channel_not_found");
      const { id, name, kind, archived, shared } = channel;
      return ok({
        channel: {
          id,
          name,
          is_channel: kind === "channel",
          is_group: kind === "group",
          is_im: kind === "im",
          is_mpim: kind === "mpim",
          is_private: kind !== "channel",
          is_archived: archived,
          is_member: isMember(channel, bot.user),
          is_ext_shared: shared,
          is_shared: shared,
          is_org_shared: false,
          is_pending_ext_shared: false,
        },
      });
    },
    "conversations.members": (args) => {
      const channel = open(args);
      if (typeof channel === "string") return no(channel);
      return ok({ members: [...channel.members], response_metadata: { next_cursor: "" } });
    },
    "conversations.open": (args) => {
      const user = text(args.users);
      if (!world.people.has(user)) return no("user_not_found");
      const there = [...world.channels.values()].find(({ kind, members }) => kind === "im" && members.has(user));
      const id = there?.id ?? world.nextId("D");
      if (!there)
        world.channels.set(id, {
          id,
          name: "",
          kind: "im",
          members: new Set([user, bot.user]),
          archived: false,
          shared: false,
        });
      return ok({ channel: { id } });
    },
  };
}
