import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HELP } from "../../src/cli/help.ts";
import { run } from "../../src/cli/run.ts";
import { catalog } from "./catalog.ts";
import { fakeIo } from "./io.ts";

async function say(...args: string[]): Promise<{ code: number; printed: string }> {
  const io = fakeIo();
  const code = await run(args, io, () => catalog);
  return { code, printed: io.printed };
}

const CLI = join(import.meta.dirname, "..", "..", "src", "cli");
const files = [...readdirSync(CLI).map((name) => join(CLI, name)), join(CLI, "..", "demo.ts")];
const sources = files.map((file) => readFileSync(file, "utf8"));

/** Of each command the options that its file hands to parseArgs. */
const taken = sources.flatMap((text) => {
  const name = /export (?:async )?function (\w+)Command\(/.exec(text)?.[1];
  const options = [...text.matchAll(/"?([\w-]+)"?: \{ type: "(?:string|boolean)"/g)].map(([, option = ""]) => option);
  return name === undefined ? [] : [{ name, options }];
});

describe("help", () => {
  it.each(taken)("tells every option of $name, and none that it does not take", ({ name, options }) => {
    const told = HELP[name]?.options.map(([option]) => /^--([\w-]+)/.exec(option)?.[1] ?? "");

    expect(told?.sort()).toEqual(options.sort());
  });

  it("names every command, and the one that is wired elsewhere", () => {
    expect(Object.keys(HELP).sort()).toEqual([...taken.map(({ name }) => name), "serve"].sort());
  });

  it.each([[["help"]], [["--help"]], [["-h"]]])("shows all commands with all options for %j", async (args) => {
    const { code, printed } = await say(...args);

    expect(code).toBe(0);
    for (const { calls, options } of Object.values(HELP)) {
      for (const call of calls) expect(printed).toContain(`firstfault ${call}`);
      for (const [option] of options) expect(printed).toContain(option);
    }
  });

  it("of one command says what each of its options means", async () => {
    const asked = await say("help", "eval");

    expect(asked.printed).toContain("--min FILE   floors for the figures");
    expect(await say("eval", "--help")).toEqual(asked);
    expect(asked.printed).not.toContain("firstfault diagnose");
  });

  it("fits a terminal of 132 columns", async () => {
    const all = [
      (await say("help")).printed,
      ...(await Promise.all(Object.keys(HELP).map((name) => say("help", name)))).map((one) => one.printed),
    ];

    expect(
      all
        .join("\n")
        .split("\n")
        .filter((line) => line.length > 132),
    ).toEqual([]);
  });
});

it.each([["--version"], ["-V"], ["version"]])(
  "%s says which version, and which rules receipts are made of",
  async (arg) => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

    expect(await say(arg)).toEqual({
      code: 0,
      printed: `firstfault ${version}\nrules ${catalog.rules.version} (${catalog.playbooks.size} playbooks)\n`,
    });
  },
);
