// Slack's blocks on a terminal.
import { describe, expect, it } from "vitest";
import { widthOf } from "../../src/cli/width.ts";
import { createWorld, type FakeMessage } from "../../src/demo/fake/world.ts";
import { botSays, personSays, pressables, type Screen } from "../../src/demo/screen.ts";
import { demoWordsFor } from "../../src/locale/demo-words.ts";

const world = createWorld();
const screen = (over: Partial<Screen> = {}): Screen => ({
  columns: 80,
  color: false,
  words: demoWordsFor("en"),
  world,
  ...over,
});

function message(...blocks: unknown[]): FakeMessage {
  return { channel: "C1", ts: "1700000000.000100", user: "UBOT", text: "", blocks } as FakeMessage;
}

const rich = (...lines: object[][]): object => ({
  type: "rich_text",
  elements: lines.map((elements) => ({ type: "rich_text_section", elements })),
});
const text = (value: string, style?: object): object => ({ type: "text", text: value, ...(style ? { style } : {}) });
const mrkdwn = (value: string): object => ({ type: "section", text: { type: "mrkdwn", text: value } });
const button = (label: string, id = label): object => ({
  type: "button",
  action_id: id,
  text: { type: "plain_text", text: label },
});
const shown = (one: FakeMessage, over?: Partial<Screen>, before?: FakeMessage): string[] =>
  botSays(screen(over), one, before).split("\n").slice(1, -1);

describe("a message of the bot", () => {
  it("shows its styles on a terminal with colours, and none without", () => {
    const one = message(rich([text("Rank 37", { bold: true }), text(" died", { italic: true })]));

    expect(shown(one, { color: true })).toEqual(["  \u001b[1mRank 37\u001b[0m\u001b[3m died\u001b[0m"]);
    expect(shown(one)).toEqual(["  Rank 37 died"]);
  });

  it("reads Slack's markup", () => {
    const one = message(mrkdwn("*bold* <https://a.example/|a page> <@U1> &lt;x&gt; 2*3*4\n```rm -rf &amp;```"));

    expect(shown(one, { color: true })).toEqual([
      "  \u001b[1mbold\u001b[0m a page (https://a.example/) @wei <x> 2*3*4",
      "    rm -rf &",
      "",
    ]);
  });

  it("numbers its buttons in one row after another, and keeps the menu apart", () => {
    const menu = { type: "overflow", action_id: "more", options: [{ value: "back", text: { text: "Back" } }] };
    const one = message(
      rich([text("What grew?")]),
      { type: "actions", elements: [button("One"), button("Two")] },
      { type: "actions", elements: [menu] },
    );

    expect(shown(one)).toEqual(["  What grew?", "", "  [1] One   [2] Two   [m] ⋯"]);
    expect(pressables(one, world).buttons.map(({ label }) => label)).toEqual(["One", "Two"]);
    expect(pressables(one, world).menu).toEqual([expect.objectContaining({ label: "Back", choose: "back" })]);
  });

  it("offers the workspace's own people where one is to be chosen", () => {
    const one = message({ type: "actions", elements: [{ type: "users_select", action_id: "who" }] });

    const { buttons } = pressables(one, world);
    expect(buttons.map(({ label }) => label)).toContain("@ana");
    expect(buttons.map(({ label }) => label)).not.toContain("@zoe");
  });

  it("shows only what is new where it was changed, and its buttons", () => {
    const before = message(rich([text("answer")]), rich([text("old step")]), {
      type: "actions",
      elements: [button("A")],
    });
    const after = message(rich([text("answer")]), rich([text("new step")]), {
      type: "actions",
      elements: [button("A")],
    });

    expect(botSays(screen(), after, before)).toMatch(/^firstfault {2}APP {2}\(updated\)\n/);
    expect(shown(after, {}, before)).toEqual(["  new step", "", "  [1] A"]);
  });

  it("never breaks a command, and nothing else is wider than the terminal", () => {
    const command = `grep ${"x".repeat(200)}`;
    const one = message(
      rich([text("显存不足 ".repeat(40)), text("a bold ending of some length", { bold: true })]),
      { type: "rich_text", elements: [{ type: "rich_text_preformatted", elements: [text(command)] }] },
      { type: "actions", elements: [button("A label that is longer than the terminal is wide, by far"), button("B")] },
    );

    for (const columns of [30, 40, 80]) {
      const lines = shown(one, { columns });
      expect(lines).toContain(`    ${command}`);
      expect(lines.filter((line) => widthOf(line) > columns && !line.includes("grep"))).toEqual([]);
    }
  });

  it("does to the terminal nothing that a log says", () => {
    const one = message(rich([text("a\u001b[2Jb\u202ec")]), mrkdwn("\u001b]0;x\u0007"));

    expect(botSays(screen(), one)).not.toMatch(/[\u001b\u0007\u202e]/);
  });
});

it("shows of a long paste how it begins and how long it is", () => {
  const log = Array.from({ length: 40 }, (_, n) => `line ${n} ${"x".repeat(100)}`).join("\n");

  const lines = personSays(screen(), { ...message(), user: "U1" }, log).split("\n");

  expect(lines[0]).toMatch(/^wei {2}\d\d:\d\d$/);
  expect(lines.slice(4, 5)).toEqual(["  … 37 more lines"]);
  expect(lines.every((line) => widthOf(line) <= 80)).toBe(true);
});
