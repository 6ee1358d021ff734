// One case in a terminal: show where it stands, read what the person types, do it, show again.
import type { CaseId, Cases, Changed } from "../case/case.ts";
import type { Person } from "../case/entry.ts";
import type { Given } from "../case/fresh.ts";
import { safe } from "../case/safe-text.ts";
import type { View } from "../case/view-type.ts";
import { redact } from "../diagnose/redact.ts";
import type { Language } from "../facts/language.ts";
import { wordsFor } from "../locale/words.ts";
import type { Io } from "./io.ts";
import { render, renderLines, renderNext } from "./render.ts";

/** The next line typed; null at the end of input. */
export type Lines = () => Promise<string | null>;

export function createLines(stdin: AsyncIterable<Uint8Array | string>): Lines {
  const decoder = new TextDecoder();
  const chunks = stdin[Symbol.asyncIterator]();
  let rest = "";
  let over = false;
  return async () => {
    for (;;) {
      const end = rest.indexOf("\n");
      if (end >= 0) {
        const line = rest.slice(0, end).replace(/\r$/, "");
        rest = rest.slice(end + 1);
        return line;
      }
      if (over) {
        const last = rest;
        rest = "";
        return last === "" ? null : last;
      }
      const { done, value } = await chunks.next();
      if (done) over = true;
      else rest += typeof value === "string" ? value : decoder.decode(value, { stream: true });
    }
  };
}

/** Everything up to a line with only "." or the end of input. */
export async function readPaste(lines: Lines): Promise<string> {
  const pasted: string[] = [];
  for (let line = await lines(); line !== null && line !== "."; line = await lines()) pasted.push(line);
  return pasted.join("\n");
}

export interface InTerminal {
  io: Io;
  lang: Language;
  cases: Cases;
  id: CaseId;
  by: Person;
  /** null where there is nobody to answer: only the first screen is shown. */
  lines: Lines | null;
  read(text: string): Given;
  /** Whether the case outlives this terminal. */
  kept: boolean;
}

export async function walkInTerminal(terminal: InTerminal): Promise<void> {
  const { io, lang, cases, id, by, lines, read, kept } = terminal;
  const words = wordsFor(lang).terminal;
  const say = (text: string): void => io.out(`${text}\n`);
  const asked = new Set<string>();

  let view = await see();
  io.out(render(view, io));
  if (!lines) {
    say(`\n${words.noTerminal}`);
    return;
  }
  for (;;) {
    io.out(`\n${view.ended && !view.step?.choices.length ? words.endPrompt : words.prompt}`);
    const typed = (await lines())?.trim() ?? null;
    if (!io.interactive) io.out("\n");
    if (typed === null || typed === "quit" || (view.ended && typed === "")) {
      if (!view.ended) say(kept ? words.left : words.leftUnkept);
      return;
    }
    if (typed === "") continue;
    if (typed === "lines") {
      io.out(renderLines(view, io));
      continue;
    }
    const changed = await act(typed);
    if (!changed) continue;
    if (changed.kind !== "moved") say(words.stale);
    view = await see();
    io.out(`\n${renderNext(view, io)}`);
  }

  async function see(): Promise<View> {
    const seen = await cases.view(id, lang);
    if (!seen) throw new Error(`case ${id.id} is gone from the store`);
    return seen;
  }

  async function act(typed: string): Promise<Changed | undefined> {
    if (typed === "back") return cases.back(id, view.seq, by);
    if (typed === "paste") {
      say(words.pasteNow);
      return cases.paste(id, read(await readPaste(lines as Lines)), by);
    }
    const { step } = view;
    const choices = step?.choices ?? [];
    const choice = choices[Number(typed) - 1] ?? choices.find((one) => one.id === typed);
    if (!step || !choice) {
      say(words.notAChoice(safe(redact(typed).text.slice(0, 80)), choices.length));
      return undefined;
    }
    if (step.riskName && !asked.has(step.id)) {
      io.out(words.sure(safe(choice.label), step.riskName));
      if (!/^(?:y|yes|是)$/i.test((await (lines as Lines)())?.trim() ?? "")) {
        say(words.notRecorded);
        return undefined;
      }
      asked.add(step.id);
    }
    return cases.answer(id, { step: step.id, choice: choice.id }, by);
  }
}
