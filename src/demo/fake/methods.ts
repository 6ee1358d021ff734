// Slack's Web API, as far as a bot like ours calls it: one function a method, and the scope each needs.
import { scopeFor } from "./app.ts";
import { chatMethods } from "./chat-methods.ts";
import { conversationMethods } from "./conversation-methods.ts";
import { type Args, type Method, type MethodDeps, no, ok, text } from "./method.ts";
import { isMember, type Json, type World } from "./world.ts";

export function createMethods(deps: MethodDeps): Record<string, Method> {
  return { ...aboutUs(deps), ...chatMethods(deps), ...uploads(deps), ...conversationMethods(deps), ...lookups(deps) };
}

function aboutUs({ world: { team, domain, bot } }: MethodDeps): Record<string, Method> {
  return {
    "auth.test": () =>
      ok({
        url: `https://${domain}.slack.com/`,
        team: domain,
        user: bot.name,
        team_id: team,
        user_id: bot.user,
        bot_id: bot.id,
        is_enterprise_install: false,
      }),
    "team.info": () => ok({ team: { id: team, name: domain, domain, email_domain: "", icon: {} } }),
  };
}

function lookups({ world, files }: MethodDeps): Record<string, Method> {
  return {
    "users.info": (args) => {
      const person = world.people.get(text(args.user));
      if (!person) return no("user_not_found");
      const { id, name, team, admin = false } = person;
      return ok({
        user: {
          id,
          team_id: team,
          name,
          real_name: name,
          deleted: false,
          is_admin: admin,
          is_owner: false,
          is_bot: false,
          is_stranger: team !== world.team,
          profile: { display_name: name, real_name: name },
        },
      });
    },
    "files.info": (args) => {
      const file = files.info(text(args.file));
      return file ? ok({ file }) : no("file_not_found");
    },
  };
}

/** An app's own files, in the three acts that Slack asks for: a place, the bytes, the message. */
function uploads({ world, heard, files }: MethodDeps): Record<string, Method> {
  return {
    "files.getUploadURLExternal": (args) => {
      const [name, length] = [text(args.filename), Number(args.length)];
      if (name === "" || !(length > 0)) return no("invalid_arguments");
      const { id, url } = files.open(name, length);
      return ok({ upload_url: url, file_id: id });
    },
    "files.completeUploadExternal": (args) => {
      const given = Array.isArray(args.files) ? (args.files as { id?: string; title?: string }[]) : [];
      const channel = world.channels.get(text(args.channel_id));
      if (!channel) return no("channel_not_found");
      if (channel.archived) return no("is_archived");
      if (!isMember(channel, world.bot.user)) return no("not_in_channel");
      const done = given.map(({ id }) => files.finish(text(id), channel.id));
      if (done.length === 0 || done.includes(undefined)) return no("file_not_found");
      const message = {
        ...{ channel: channel.id, ts: world.nextTs(), user: world.bot.user, text: text(args.initial_comment) },
        files: done as Json[],
        ...(args.thread_ts ? { thread_ts: text(args.thread_ts) } : {}),
      };
      world.messages.push(message);
      heard.posted(message);
      return ok({ files: done.map((file) => ({ id: file?.id, title: file?.title })) });
    },
  };
}

/** The scope that a call needs; null where none is. */
export function scopeOf(method: string, args: Args, { channels }: World): string | null {
  const kind = channels.get(text(args.channel))?.kind ?? "channel";
  if (/^conversations\.(?:replies|history)$/.test(method)) return scopeFor(kind, "history");
  if (/^conversations\.(?:info|members)$/.test(method)) return scopeFor(kind, "read");
  if (/^chat\.(?:postMessage|update|delete|postEphemeral)$/.test(method)) return "chat:write";
  const needed: Record<string, string> = {
    "chat.unfurl": "links:write",
    "conversations.open": "im:write",
    "users.info": "users:read",
    "files.info": "files:read",
    "files.getUploadURLExternal": "files:write",
    "files.completeUploadExternal": "files:write",
    "team.info": "team:read",
  };
  return needed[method] ?? null;
}
