// What an app answers to a command or by a response_url: a message for one person, or for the channel.
import { randomUUID } from "node:crypto";
import { type Payload, refuseMessage } from "./payload.ts";
import type { Refusal } from "./web-api.ts";
import type { FakeMessage, Json, World } from "./world.ts";

export interface Responses {
  /** A fresh response_url for this place. */
  give(place: Place): string;
  /** What came to such an address; the HTTP status. */
  take(path: string, body: Json): number;
  /** An answer along with the acknowledgement of a command. */
  shown(place: Place, answer: unknown): void;
}

interface Place {
  channel: string;
  user: string;
  /** The message that was clicked. */
  message?: FakeMessage | undefined;
}

const USES = 5;

export function createResponses({
  world,
  refusals,
  base,
}: {
  world: World;
  refusals: Refusal[];
  base: () => string;
}): Responses {
  const given = new Map<string, Place & { left: number }>();

  function show({ channel, user, message }: Place, answer: Json): boolean {
    if (answer.delete_original === true && message) {
      const at = world.messages.findIndex((one) => one.channel === message.channel && one.ts === message.ts);
      if (at >= 0) world.messages.splice(at, 1);
      return true;
    }
    const refused = refuseMessage(answer as Payload);
    if (refused) {
      refusals.push({ method: "response", ...refused });
      return false;
    }
    const {
      text = "",
      blocks,
      thread_ts,
    } = answer as { text?: string; blocks?: FakeMessage["blocks"]; thread_ts?: string };
    const content = { text, ...(blocks ? { blocks } : {}) };
    const there = message && world.find(message.channel, message.ts);
    if (answer.replace_original === true && there) Object.assign(there, content);
    else
      world.messages.push({
        channel,
        ts: world.nextTs(),
        user: world.bot.user,
        ...content,
        ...(thread_ts ? { thread_ts } : {}),
        ...(answer.response_type === "in_channel" ? {} : { ephemeral: user }),
      });
    return true;
  }

  return {
    give(place) {
      const path = `/actions/${world.team}/${randomUUID()}`;
      given.set(path, { ...place, left: USES });
      return `${base()}${path}`;
    },
    take(path, body) {
      const place = given.get(path);
      if (!place) return 404;
      if (place.left-- <= 0) return 404;
      return show(place, body) ? 200 : 400;
    },
    shown(place, answer) {
      if (typeof answer === "string") show(place, { text: answer });
      else if (typeof answer === "object" && answer !== null && Object.keys(answer).length > 0)
        show(place, answer as Json);
    },
  };
}
