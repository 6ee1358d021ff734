// What a person types or pastes. Many lines at once are one paste, whether the terminal marks pastes or not.
import { createInterface, type Interface } from "node:readline";
import { PassThrough, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

export type Typed = { kind: "line"; text: string } | { kind: "paste"; text: string } | { kind: "end" };

export interface Prompt {
  /** The next thing typed or pasted; "end" at Ctrl-C, Ctrl-D and the end of input, and ever after. */
  ask(prompt: string): Promise<Typed>;
  /** Ends a question that is open, as Ctrl-C would. */
  end(): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

export interface Keyboard {
  on(event: "data", heard: (chunk: Buffer | string) => void): unknown;
  on(event: "end", heard: () => void): unknown;
  setRawMode?(on: boolean): unknown;
  pause(): unknown;
}

const PASTE_BEGINS = "\u001b[200~";
const PASTE_ENDS = "\u001b[201~";
/** A terminal that does not mark pastes sends one in pieces, one right after the other. */
const QUIET_MS = 60;

export function createPrompt(keyboard: Keyboard, out: (text: string) => void, columns: number): Prompt {
  const decoder = new StringDecoder("utf8");
  const keys = new PassThrough();
  const screen = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        out(String(chunk));
        done();
      },
    }),
    { columns },
  );
  const waiting: Typed[] = [];
  let asking: ((typed: Typed) => void) | null = null;
  let over = false;
  /** What came of a paste that the terminal marks, and is not closed yet. */
  let marked: string | null = null;
  /** What came of one that it does not. */
  let burst = "";
  let quiet: NodeJS.Timeout | undefined;
  let held = "";

  const line: Interface = createInterface({ input: keys, output: screen, terminal: true, historySize: 0 });
  line.on("line", (text) => hear({ kind: "line", text }));
  line.on("SIGINT", end);
  line.on("close", end);
  keyboard.setRawMode?.(true);
  out("\u001b[?2004h");
  keyboard.on("data", (chunk) => read(held + (typeof chunk === "string" ? chunk : decoder.write(chunk))));
  keyboard.on("end", () => {
    flush();
    end();
  });

  function read(chunk: string): void {
    held = "";
    if (marked !== null) {
      marked += chunk;
      const stop = marked.indexOf(PASTE_ENDS);
      if (stop < 0) return;
      const [pasted, rest] = [marked.slice(0, stop), marked.slice(stop + PASTE_ENDS.length)];
      marked = null;
      paste(pasted);
      if (rest !== "") read(rest);
      return;
    }
    const begin = chunk.indexOf(PASTE_BEGINS);
    if (begin >= 0) {
      press(chunk.slice(0, begin));
      flush();
      marked = "";
      read(chunk.slice(begin + PASTE_BEGINS.length));
      return;
    }
    // The mark itself may arrive in two pieces.
    held = /\u001b\[(?:2|20|200)?$/.exec(chunk)?.[0] ?? "";
    press(chunk.slice(0, chunk.length - held.length));
  }

  /** Keys, or a piece of an unmarked paste: text that goes on behind a line's end. */
  function press(chunk: string): void {
    if (burst !== "" || /\n./s.test(chunk.replace(/\r\n?/g, "\n"))) {
      burst += chunk;
      clearTimeout(quiet);
      quiet = setTimeout(flush, QUIET_MS);
    } else if (chunk !== "") keys.write(chunk);
  }

  function flush(): void {
    clearTimeout(quiet);
    const pasted = burst;
    burst = "";
    if (pasted !== "") paste(pasted);
  }

  /** One line is put where the cursor stands; several are a paste, along with what stood there. */
  function paste(text: string): void {
    const pasted = text.replace(/\r\n?/g, "\n");
    if (!pasted.includes("\n")) return void keys.write(pasted);
    const before = line.line;
    if (before !== "") line.write(null, { ctrl: true, name: "u" });
    hear({ kind: "paste", text: before + pasted });
  }

  function hear(typed: Typed): void {
    if (!asking) return void waiting.push(typed);
    const answer = asking;
    asking = null;
    answer(typed);
  }

  function end(): void {
    over = true;
    asking?.({ kind: "end" });
    asking = null;
  }

  return {
    ask(prompt) {
      const next = waiting.shift();
      if (next) return Promise.resolve(next);
      if (over) return Promise.resolve({ kind: "end" });
      line.setPrompt(prompt);
      line.prompt();
      return new Promise((resolve) => {
        asking = resolve;
      });
    },
    end,
    close() {
      clearTimeout(quiet);
      line.removeAllListeners("close");
      line.close();
      out("\u001b[?2004l");
      keyboard.setRawMode?.(false);
      keyboard.pause();
    },
  };
}
