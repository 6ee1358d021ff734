// The demo with a person: reads what they type and paste, until they leave.
import type { Prompt, Typed } from "./prompt.ts";
import type { Sample } from "./samples.ts";
import { botSays, dialog, note, numbered, type Pressable, pressables, question, type Screen } from "./screen.ts";
import type { Thread } from "./thread.ts";

export interface PlayDeps {
  prompt: Prompt;
  screen: Screen;
  samples: readonly Sample[];
  out(text: string): void;
  /** A thread of its own for every log. */
  openThread(): Thread;
}

export async function play({ prompt, screen, samples, out, openThread }: PlayDeps): Promise<void> {
  const { words, world } = screen;
  let left = false;

  async function ask(hint: string): Promise<Exclude<Typed, { kind: "end" }> | "leave"> {
    if (left) return "leave";
    out(`\n${note(screen, hint)}`);
    const typed = await prompt.ask("> ");
    if (typed.kind === "paste") out(`${words.pasted(typed.text.replace(/\n$/, "").split("\n").length)}\n`);
    const leaves = typed.kind === "end" || (typed.kind === "line" && /^(?:q|quit|exit)$/i.test(typed.text.trim()));
    left = leaves;
    return leaves ? "leave" : typed;
  }

  /** The log a thread begins with. */
  async function firstLog(): Promise<string | null> {
    out(`\n${question(screen, words.pick)}`);
    const labels = samples.map(({ about, lines }) => words.sample(about, lines));
    out(`${labels.flatMap((label, n) => numbered(screen, [label], n + 1)).join("\n")}\n`);
    for (;;) {
      const typed = await ask(words.hint.start);
      if (typed === "leave") return null;
      if (typed.text.trim() === "") continue;
      const sample = typed.kind === "line" && /^\d+$/.test(typed.text.trim()) ? Number(typed.text) : null;
      if (sample === null) return typed.text;
      const chosen = samples[sample - 1];
      if (chosen) return chosen.read();
      out(note(screen, words.noButton(typed.text.trim())));
    }
  }

  /** Slack's own dialog before a button that asks for one. */
  async function isSure({ element }: Pressable): Promise<boolean> {
    if (!element.confirm) return true;
    const { confirm, deny } = element.confirm as Record<string, { text: string }>;
    out(dialog(screen, element));
    const typed = await ask(words.hint.sure(confirm?.text ?? "", deny?.text ?? ""));
    return typed !== "leave" && typed.kind === "line" && /^(?:y|yes|是)$/i.test(typed.text.trim());
  }

  async function press(thread: Thread, pressable: Pressable): Promise<void> {
    if (await isSure(pressable)) await thread.press(pressable);
  }

  async function openMenu(thread: Thread, menu: Pressable[]): Promise<void> {
    const labels = menu.map(({ label }) => label);
    out(`\n${numbered(screen, labels).join("\n")}\n`);
    const typed = await ask(words.hint.menu);
    const chosen = typed !== "leave" && typed.kind === "line" ? menu[Number(typed.text) - 1] : undefined;
    if (chosen) await press(thread, chosen);
  }

  /** Goes on until the person leaves (false) or wants another log (true). */
  async function inThread(thread: Thread, log: string): Promise<boolean> {
    let shown = await thread.say(log);
    for (;;) {
      if (!shown && thread.outcome() === null) out(`\n${note(screen, words.silent)}`);
      const outcome = thread.outcome();
      const typed = await ask(
        outcome === null ? words.hint.silent : outcome === "" ? words.hint.step : words.hint.over,
      );
      if (typed === "leave") return false;
      shown = true;
      const { buttons, menu } = pressables(thread.current(), world);
      if (typed.kind === "paste") shown = await thread.say(typed.text);
      else {
        const text = typed.text.trim();
        const button = buttons[Number(text) - 1];
        const message = thread.current();
        if (text === "") thread.back();
        else if (text === "n") return true;
        else if (text === "p" && message) out(`\n${botSays(screen, message)}`);
        else if (text === "m" && menu.length > 0) await openMenu(thread, menu);
        else if (/^\d{1,3}$/.test(text) || text === "m")
          button ? await press(thread, button) : out(note(screen, words.noButton(text)));
        else shown = await thread.say(typed.text);
      }
    }
  }

  for (;;) {
    const log = await firstLog();
    if (log === null || !(await inThread(openThread(), log))) return;
  }
}
