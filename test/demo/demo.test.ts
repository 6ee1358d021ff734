// firstfault demo: by itself, and with a person at the keyboard.
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../src/catalog.ts";
import { run } from "../../src/cli/run.ts";
import { readConfig } from "../../src/config.ts";
import { demoCommand } from "../../src/demo.ts";
import { type FakeIo, fakeIo } from "../cli/io.ts";
import { CASCADE } from "../slack/logs.ts";

/** A real workspace's settings, none of which the demo may touch. */
const { config } = readConfig({
  SLACK_BOT_TOKEN: "xoxb-real",
  SLACK_APP_TOKEN: "xapp-real",
  SLACK_API_URL: "http://127.0.0.1:1/",
  DATABASE_URL: "postgres://127.0.0.1:1/real",
  FIRSTFAULT_DATA: "/nonexistent",
  PORT: "1",
});
const catalog = await loadCatalog();

function start(args: string[], io: FakeIo, keyboard = new PassThrough()): Promise<number> {
  return run(["demo", ...args], io, () => catalog, { demo: async () => demoCommand({ config, keyboard }) });
}

async function shows(io: FakeIo, text: string | RegExp, from = 0): Promise<void> {
  const there = (): boolean =>
    typeof text === "string" ? io.printed.slice(from).includes(text) : text.test(io.printed.slice(from));
  for (let waited = 0; !there(); waited += 20) {
    if (waited > 25_000) throw new Error(`"${text}" did not show in: ${io.printed.slice(from)}`);
    await sleep(20);
  }
}

describe("by itself", () => {
  it.each([
    ["en", /Rank 37 .* ran out of GPU memory/, "your paste, lines 3, 4", /\n {2}Fixed\n {2}What it was: Rank 37/],
    ["zh", /37 号 rank.*显存不足/, "你贴的第 3、4 行", /\n {2}已修复\n {2}问题：37 号 rank/],
  ])("goes from a paste to a fix that holds, and exits 0 (%s)", async (lang, verdict, evidence, end) => {
    const io = fakeIo();

    expect(await start(["--lang", lang], io)).toBe(0);

    expect(io.complained).toBe("");
    expect(io.printed).toMatch(verdict);
    expect(io.printed).toContain(evidence);
    expect(io.printed).toMatch(end);
    expect(io.printed).not.toContain("\u001b");
  });
});

describe("with a person", () => {
  it("takes a picked log, clicks, a pasted output and the menu, and shows the closed case", async () => {
    const io = fakeIo({ interactive: true });
    const keyboard = new PassThrough();
    const over = start([], io, keyboard);
    const types = async (text: string, until: string | RegExp): Promise<void> => {
      const from = io.printed.length;
      keyboard.write(text);
      await shows(io, until, from);
      await shows(io, /q: leave|Enter: back|n: Not yet/, from);
    };

    await shows(io, "Paste a log");
    const [address = ""] = /http:\/\/127\.0\.0\.1:\d+\/en\//.exec(io.printed) ?? [];
    await types("1\r", "[4] Nothing grew");
    const page = await fetch(address);
    await types("4\r", "Who else is on the card?");
    await types(
      "\u001b[200~node-014:~$ nvidia-smi --query-compute-apps=pid,used_memory --format=csv -i 5\rpid, used_gpu_memory [MiB]\r41280, 73420 MiB\r90417, 6330 MiB\r\u001b[201~",
      "Free the card",
    );
    await types("1\r", "Before you go on");
    await types("n\r", "number: click");
    await types("m\r", "[5] The diagnosis is wrong");
    await types("5\r", 'opens a form here, "What was it?", which asks: The right answer; In your words');
    await types("m\r", "[4] Close the case…");
    await types("4\r", "How did it end?");
    await types("2\r", "Running again");
    keyboard.write("q\r");

    expect(await over).toBe(0);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<html")]);
    expect(io.printed).toContain("The case is over.");
    expect(io.printed).toContain("Left.");
  });

  it("sends a paste that is too long for a message as a snippet, and its answer names its lines", async () => {
    const io = fakeIo({ interactive: true });
    const keyboard = new PassThrough();
    const over = start([], io, keyboard);
    const healthy = "step 100 | loss 2.31 | grad norm 0.9\n".repeat(1000);

    await shows(io, "Paste a log");
    keyboard.write(`\u001b[200~${healthy}${CASCADE}\u001b[201~`);
    await shows(io, "sends it as a snippet");
    await shows(io, /ran out of GPU memory[\s\S]*line 1 003/);
    await shows(io, /q: leave/, io.printed.indexOf("ran out of GPU memory"));
    keyboard.write("q\r");

    expect(await over).toBe(0);
  });

  it("says why it keeps quiet, answers when it is called, and leaves at Ctrl-C", async () => {
    const io = fakeIo({ interactive: true });
    const keyboard = new PassThrough();
    const over = start([], io, keyboard);

    await shows(io, "Paste a log");
    keyboard.write("lunch at 12?\r");
    await shows(io, "keeps quiet");
    await shows(io, "Type @firstfault");
    keyboard.write("@firstfault help\r");
    await shows(io, "I see no failure in this text");
    keyboard.write("\u0003");

    expect(await over).toBe(0);
  });
});

it("refuses what it does not know, with exit code 2", async () => {
  const io = fakeIo();

  expect(await start(["--fast"], io)).toBe(2);
  expect(io.complained).toContain("--fast");
});
