// One person in the fake workspace: what they do, and what they then see.
import { TYPED_SIGNS } from "./fake/people.ts";
import type { FakeSlack } from "./fake/slack.ts";
import type { FakeMessage } from "./fake/world.ts";
import { botSays, nameOf, note, type Pressable, personSays, pressables, type Screen } from "./screen.ts";

export interface Thread {
  /** Says something: the first opens the thread, all else goes into it. True where the bot showed anything. */
  say(typed: string): Promise<boolean>;
  press(pressable: Pressable): Promise<void>;
  /** The message whose buttons count now: the last that came with any, or else the case's. */
  current(): FakeMessage | undefined;
  /** Back to the case's own message. */
  back(): void;
  /** How the case ended; empty while it is open, null where there is none. */
  outcome(): string | null;
}

export interface ThreadDeps {
  slack: FakeSlack;
  screen: Screen;
  user: string;
  channel: string;
  out(text: string): void;
  /** Resolves when the bot takes deliveries. */
  started: Promise<void>;
  /** Resolves when it has nothing more to do; false where that took too long. */
  settled(): Promise<boolean>;
}

export function createThread({ slack, screen, user, channel, out, started, settled }: ThreadDeps): Thread {
  const { words, world } = screen;
  const before = new Set(slack.messages.map(({ ts }) => ts));
  const seen = new Map<string, FakeMessage>();
  let thread: string | null = null;
  let current: FakeMessage | undefined;

  function ours(): FakeMessage | undefined {
    return slack
      .posted(channel)
      .findLast((one) => one.thread_ts === thread && one.metadata?.event_type === "firstfault_case");
  }

  /** Shows what the bot posted or changed since the last look. */
  async function news(): Promise<boolean> {
    const done = await settled();
    let any = false;
    for (const message of slack.messages) {
      if (message.user !== world.bot.user || before.has(message.ts)) continue;
      if (message.ephemeral && message.ephemeral !== user) continue;
      const old = seen.get(message.ts);
      if (old && JSON.stringify(old) === JSON.stringify(message)) continue;
      any = true;
      out(`\n${botSays(screen, message, old)}`);
      seen.set(message.ts, structuredClone(message));
      const { buttons, menu } = pressables(message, world);
      if (buttons.length + menu.length > 0) current = message;
    }
    if (!done) out(note(screen, words.slow));
    return any;
  }

  /** A terminal shows no forms: it says what Slack would ask. */
  async function tellForms(): Promise<void> {
    for (const view of slack.views.filter((one) => one.user === user && one.type === "modal")) {
      const textAt = (value: unknown): string => String((value as { text?: string } | undefined)?.text ?? "");
      const fields = view.blocks.filter(({ type }) => type === "input").map(({ label }) => textAt(label));
      out(note(screen, words.form(textAt(view.title), fields)));
      await slack.dismiss(view);
    }
  }

  return {
    async say(typed) {
      await started;
      const text = typed.replace(/\s+$/, "");
      const place = { user, channel, ...(thread ? { thread } : {}) };
      // What is too long for a message Slack makes a snippet of.
      const long = text.length > TYPED_SIGNS;
      const ts = long
        ? await slack.say("", { ...place, files: [{ name: "Untitled", content: text, snippet: true }] })
        : await slack.say(text, place);
      thread ??= ts;
      const message = world.find(channel, ts);
      if (message) out(`\n${personSays(screen, message, text)}`);
      if (long) out(note(screen, `  ${words.snippet}`));
      if (ts === thread) out(note(screen, `  ${words.thread(world.channels.get(channel)?.name ?? channel)}`));
      return news();
    },
    async press({ label, element, choose }) {
      const name = nameOf(world, user);
      out(`\n${note(screen, choose === undefined ? words.clicks(name, label) : words.chooses(name, label))}`);
      const pressed = current;
      const delivery = await slack.click(pressed, element, { user, ...(choose === undefined ? {} : { choose }) });
      // What only one person sees, Slack shows until it is used.
      if (pressed?.ephemeral) current = ours();
      if (delivery.outcome !== "acknowledged") out(note(screen, words.failed));
      await news();
      await tellForms();
    },
    current: () => current,
    back() {
      current = ours();
    },
    outcome: () => {
      const { outcome } = ours()?.metadata?.event_payload ?? {};
      return typeof outcome === "string" ? outcome : null;
    },
  };
}
