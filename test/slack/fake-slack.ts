// A small real Slack: takes Web API calls, keeps messages by channel, refuses what Slack refuses. Put behind nock, or
// behind an HTTP server for a program of its own.
import { refused } from "./strict-blocks.ts";

export interface FakeMessage {
  channel: string;
  ts: string;
  thread_ts?: string;
  user?: string;
  text: string;
  blocks?: FakeBlock[];
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
  /** Shown to this person only. */
  ephemeral?: string;
}

export interface FakeBlock {
  type: string;
  elements?: FakeElement[];
}

export interface FakeElement {
  type: string;
  action_id?: string;
  value?: string;
  text?: { text: string };
  options?: { value: string; text: { text: string } }[];
  confirm?: unknown;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
  /** The call was done, and its answer never arrives. */
  lost?: boolean;
}

export interface FakeSlack {
  call(method: string, form: Record<string, string>): Answer;
  messages: FakeMessage[];
  calls: string[];
  /** What Slack refused, if anything. */
  problems: string[];
  /** The next answers to a method, instead of the ordinary ones; "lost" does the call and loses the answer. */
  next(method: string, ...answers: (Answer | "lost")[]): void;
  /** Messages of ours that everyone sees. */
  posted(): FakeMessage[];
  /** A person's own message, for those who look into the thread. */
  said(message: { channel: string; ts: string; thread_ts?: string; user: string; text: string }): void;
}

export function createFakeSlack(): FakeSlack {
  const messages: FakeMessage[] = [];
  const calls: string[] = [];
  const problems: string[] = [];
  const planned = new Map<string, (Answer | "lost")[]>();
  let clock = 1_700_000_000;

  const ok = (body: object = {}): Answer => ({ status: 200, body: { ok: true, ...body } });
  const no = (error: string): Answer => ({ status: 200, body: { ok: false, error } });

  function read(form: Record<string, string>): Omit<FakeMessage, "ts" | "channel"> {
    return {
      text: form.text ?? "",
      ...(form.thread_ts ? { thread_ts: form.thread_ts } : {}),
      ...(form.blocks ? { blocks: JSON.parse(form.blocks) } : {}),
      ...(form.metadata ? { metadata: JSON.parse(form.metadata) } : {}),
    };
  }

  function check(form: Record<string, string>): string[] {
    const found = refused(read(form));
    problems.push(...found);
    return found;
  }

  const methods: Record<string, (form: Record<string, string>) => Answer> = {
    "auth.test": () => ok({ user_id: "UBOT", bot_id: "BBOT", team_id: "T1", url: "https://acme.slack.com/" }),
    "chat.postMessage": (form) => {
      if (check(form).length > 0) return no("invalid_blocks");
      const ts = `${clock++}.000100`;
      messages.push({ channel: form.channel ?? "", ts, user: "UBOT", ...read(form) });
      return ok({ channel: form.channel, ts });
    },
    "chat.update": (form) => {
      const there = messages.find((one) => one.channel === form.channel && one.ts === form.ts);
      if (!there) return no("message_not_found");
      if (check(form).length > 0) return no("invalid_blocks");
      Object.assign(there, read(form));
      return ok({ channel: form.channel, ts: form.ts });
    },
    "chat.postEphemeral": (form) => {
      if (check(form).length > 0) return no("invalid_blocks");
      messages.push({
        channel: form.channel ?? "",
        ts: `${clock++}.000200`,
        ephemeral: form.user ?? "",
        ...read(form),
      });
      return ok({ message_ts: `${clock}.000200` });
    },
    "conversations.replies": (form) => {
      const thread = messages.filter(
        (one) => one.channel === form.channel && !one.ephemeral && (one.ts === form.ts || one.thread_ts === form.ts),
      );
      return ok({ messages: thread.slice(0, Number(form.limit ?? 100)), has_more: false });
    },
  };

  return {
    messages,
    calls,
    problems,
    call(method, form) {
      calls.push(method);
      const plan = planned.get(method)?.shift();
      if (plan && plan !== "lost") return plan;
      const answer = methods[method]?.(form) ?? no("unknown_method");
      return plan === "lost" ? { ...answer, lost: true } : answer;
    },
    next(method, ...answers) {
      planned.set(method, [...(planned.get(method) ?? []), ...answers]);
    },
    posted: () => messages.filter((message) => message.user === "UBOT" && !message.ephemeral),
    said: (message) => void messages.push(message),
  };
}

/** Every text in a message, as a person would read it. */
export function textOf(message: FakeMessage | undefined): string {
  const texts: string[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(look);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) {
        if (key === "text" && typeof item === "string") texts.push(item);
        else look(item);
      }
  };
  look(message?.blocks);
  return texts.join("\n");
}

/** Buttons and menus of a message. */
export function elementsOf(message: FakeMessage | undefined): FakeElement[] {
  return (message?.blocks ?? []).filter((block) => block.type === "actions").flatMap((block) => block.elements ?? []);
}
