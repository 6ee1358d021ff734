// Slack's Web API, as far as a bot like ours calls it: one function a method, and the scope each needs.
import { scopeFor } from "./app.ts";
import { chatMethods } from "./chat-methods.ts";
import { conversationMethods } from "./conversation-methods.ts";
import { type Args, type Method, type MethodDeps, no, ok, text } from "./method.ts";
import type { World } from "./world.ts";

export function createMethods(deps: MethodDeps): Record<string, Method> {
  return { ...aboutUs(deps), ...chatMethods(deps), ...conversationMethods(deps), ...lookups(deps) };
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
    "team.info": "team:read",
  };
  return needed[method] ?? null;
}
