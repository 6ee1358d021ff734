// What is typed and what is pasted, as a terminal sends it.
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createPrompt, type Prompt } from "../../src/demo/prompt.ts";

let keyboard: PassThrough;
let printed: string;
let prompt: Prompt;
beforeEach(() => {
  keyboard = new PassThrough();
  printed = "";
  prompt = createPrompt(
    keyboard,
    (text) => {
      printed += text;
    },
    80,
  );
});
afterEach(() => prompt.close());

const LOG = "line one\nline two\nline three\n";

it("takes a typed line, corrected as people do", async () => {
  const typed = prompt.ask("> ");

  for (const key of ["1", "2", "\u007f", "\r"]) keyboard.write(key);

  expect(await typed).toEqual({ kind: "line", text: "1" });
});

it("takes many lines at once as one paste, where the terminal marks it", async () => {
  const typed = prompt.ask("> ");

  keyboard.write(`\u001b[200~${LOG.replaceAll("\n", "\r")}\u001b[201~`);

  expect(await typed).toEqual({ kind: "paste", text: LOG });
});

it("takes a marked paste in pieces, cut anywhere", async () => {
  const typed = prompt.ask("> ");

  for (const piece of ["\u001b[2", "00~line one\nli", "ne two\nline three\n\u001b[20", "1~"]) keyboard.write(piece);

  expect(await typed).toEqual({ kind: "paste", text: LOG });
});

it("takes many lines at once as one paste, where the terminal does not mark it", async () => {
  const typed = prompt.ask("> ");

  keyboard.write("line one\rline tw");
  await sleep(10);
  keyboard.write("o\rline three\r");

  expect(await typed).toEqual({ kind: "paste", text: LOG });
});

it("puts one pasted line where the cursor stands, to be sent or changed", async () => {
  const typed = prompt.ask("> ");

  keyboard.write("rank ");
  keyboard.write("\u001b[200~37 died\u001b[201~");
  keyboard.write("\r");

  expect(await typed).toEqual({ kind: "line", text: "rank 37 died" });
});

it("adds what was typed before to the paste", async () => {
  const typed = prompt.ask("> ");

  keyboard.write("@firstfault ");
  keyboard.write(`\u001b[200~${LOG}\u001b[201~`);

  expect(await typed).toEqual({ kind: "paste", text: `@firstfault ${LOG}` });
});

it("keeps what came before it asked", async () => {
  keyboard.write("1\r");
  keyboard.write("2\r");
  await sleep(20);

  expect([await prompt.ask("> "), await prompt.ask("> ")]).toEqual([
    { kind: "line", text: "1" },
    { kind: "line", text: "2" },
  ]);
});

it.each([
  ["Ctrl-C", "\u0003"],
  ["Ctrl-D", "\u0004"],
])("ends at %s, and stays ended", async (_name, key) => {
  const typed = prompt.ask("> ");

  keyboard.write(key);

  expect(await typed).toEqual({ kind: "end" });
  expect(await prompt.ask("> ")).toEqual({ kind: "end" });
});

it("ends where the input does", async () => {
  const typed = prompt.ask("> ");

  keyboard.end();

  expect(await typed).toEqual({ kind: "end" });
});

it("asks the terminal to mark pastes, and takes that back", () => {
  prompt.close();

  expect(printed).toContain("\u001b[?2004h");
  expect(printed.trimEnd().endsWith("\u001b[?2004l")).toBe(true);
});
