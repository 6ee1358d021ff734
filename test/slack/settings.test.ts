// A channel's own ways: when the bot answers there, in which language, and who may say so.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buttons, textOf } from "../../src/demo/fake/slack.ts";
import { CASCADE, fenced } from "./logs.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

let at: Workplace;
beforeEach(async () => {
  at = await openWorkplace();
});
afterEach(async () => {
  expect(at.slack.refusals).toEqual([]);
  await at.close();
});

async function set(values: Record<string, string>, by: { user?: string; channel?: string } = {}): Promise<void> {
  await at.slack.command("/firstfault", "settings", by);
  await at.settled();
  const view = at.slack.views.at(-1);
  if (!view) throw new Error("no form is open");
  await at.slack.submit(view, values);
  await at.settled();
}

async function say(typed: string, saying: Parameters<typeof at.slack.say>[1] = {}): Promise<string> {
  const ts = await at.slack.say(typed, saying);
  await at.settled();
  return ts;
}

const whispers = (user = "U1"): string[] => at.slack.whispers(user).map((one) => textOf(one));

describe("in a channel that is set to", () => {
  it("mentions only, a log alone is left alone, and a mention with one is answered", async () => {
    await set({ mode: "mention" });
    expect(whispers()).toEqual([expect.stringContaining("Only whoever mentions me")]);

    await say(fenced(CASCADE));
    expect(at.slack.posted()).toEqual([]);

    const thread = await say(`@firstfault ${fenced(CASCADE)}`);
    expect(at.slack.posted()).toHaveLength(1);

    await say(fenced("2026-03-02 04:12:00,000 [rank37]: torch.OutOfMemoryError: CUDA out of memory."), { thread });
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(1);
  });

  it("off, nothing is answered, and whoever calls it hears why, alone", async () => {
    await set({ mode: "off" });

    await say(fenced(CASCADE));
    await say(`@firstfault ${fenced(CASCADE)}`, { user: "U2" });
    await at.slack.command("/firstfault", "diagnose CUDA out of memory", { user: "U3" });
    await at.settled();
    const log = await say(fenced(CASCADE));
    await at.slack.shortcut("diagnose", { channel: "C1", ts: log, text: fenced(CASCADE), user: "U1" }, { user: "U4" });
    await at.settled();

    expect(at.slack.posted()).toEqual([]);
    for (const user of ["U2", "U3", "U4"])
      expect(whispers(user)).toEqual([expect.stringContaining("/firstfault settings changes that")]);
  });

  it("Chinese, an English log is answered in Chinese, and other channels stay as they are", async () => {
    await set({ language: "zh" });

    await say(fenced(CASCADE));
    await say(fenced(CASCADE), { channel: "C2" });

    await at.slack.command("/firstfault", "playbook oom");
    await at.settled();

    for (const message of at.slack.posted("C1")) expect(textOf(message)).toMatch(/显存不足|内存/);
    expect(at.slack.posted("C1")).toHaveLength(2);
    expect(textOf(at.slack.posted("C2")[0])).not.toMatch(/[\u4e00-\u9fff]/);
  });

  it("something, the form shows it the next time, and sets it back", async () => {
    await set({ mode: "off" });

    await at.slack.command("/firstfault", "settings");
    await at.settled();
    expect(JSON.stringify(at.slack.views.at(-1)?.blocks)).toMatch(/"initial_option":\{[^}]*\},"value":"off"/);
    await set({ mode: "automatic" });
    await say(fenced(CASCADE));

    expect(at.slack.posted()).toHaveLength(1);
  });
});

describe("in a channel with another company in it", () => {
  const channel = "C4";

  it("nothing is answered, and whoever mentions it hears why", async () => {
    await say(fenced(CASCADE), { channel });
    await say(fenced(CASCADE), { channel, user: "U9" });
    await say(`@firstfault ${fenced(CASCADE)}`, { channel, user: "U2" });

    expect(at.slack.posted()).toEqual([]);
    expect(whispers("U2")).toEqual([expect.stringContaining("Another company is in this channel")]);
  });

  it("only an admin turns it on; then a log is answered, whoever pastes it", async () => {
    await say("hello", { channel });
    await set({ mode: "automatic" }, { user: "U2", channel });
    await say(fenced(CASCADE), { channel });
    expect(at.slack.posted()).toEqual([]);
    expect(whispers("U2")).toEqual([expect.stringContaining("until an admin")]);

    await set({ mode: "automatic" }, { user: "U5", channel });
    await say(fenced(CASCADE), { channel, user: "U9" });

    expect(at.slack.posted()).toHaveLength(1);
  });

  it("the other company's people move no case", async () => {
    await say("hello", { channel });
    await set({ mode: "automatic" }, { user: "U5", channel });
    await say(fenced(CASCADE), { channel });
    const before = structuredClone(at.slack.posted()[0]);

    await at.slack.click(at.slack.posted()[0], buttons(at.slack.posted()[0])[0] ?? {}, { user: "U9" });
    const menu = buttons(at.slack.posted()[0]).find((element) => element.action_id?.startsWith("more:"));
    await at.slack.click(at.slack.posted()[0], menu ?? {}, { user: "U9", choose: "wrong" });
    await at.settled();

    expect(at.slack.posted()[0]).toEqual(before);
    expect(at.slack.views).toEqual([]);
    expect(new Set(whispers("U9"))).toEqual(new Set([expect.stringContaining("Only people of the workspace")]));
  });
});
