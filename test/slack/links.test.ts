// Links to our pages and cases in somebody's message: shown as cards, to those who may see them.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buttons, textOf } from "../../src/demo/fake/slack.ts";
import type { FakeMessage } from "../../src/demo/fake/world.ts";
import { CASCADE, fenced } from "./logs.ts";
import { MANIFEST } from "./manifest.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

/** As docs/slack.md says to put the host of FIRSTFAULT_BASE_URL into it. */
const manifest = { ...(MANIFEST as object), features: features() };
const HOME = "https://firstfault.example.org/";

function features(): object {
  return { ...(MANIFEST as { features: object }).features, unfurl_domains: ["firstfault.example.org"] };
}

let at: Workplace;
beforeEach(async () => {
  at = await openWorkplace({ manifest });
});
afterEach(async () => {
  expect(at.slack.refusals).toEqual([]);
  await at.close();
});

/** The cards under a message that says this. */
async function cards(typed: string, saying: Parameters<typeof at.slack.say>[1] = {}): Promise<string[]> {
  const ts = await at.slack.say(typed, saying);
  await at.settled();
  const attached = at.slack.world.find(saying.channel ?? "C1", ts)?.attachments ?? [];
  return attached.map((card) => textOf(card as unknown as FakeMessage));
}

/** A case in C1, and the link that its message gives. */
async function linked(): Promise<string> {
  await at.slack.say(fenced(CASCADE));
  await at.settled();
  return (
    /https:\/\/firstfault\.example\.org\/case\/[\w-]+\/\d+/.exec(JSON.stringify(at.slack.posted("C1")[0]))?.[0] ?? ""
  );
}

describe("a link to a playbook", () => {
  it("shows what it is for, in the language of the page", async () => {
    expect(await cards(`see ${HOME}en/playbook/oom/`)).toEqual([expect.stringContaining("memory")]);
    expect(await cards(`看这里 ${HOME}zh/playbook/oom/`)).toEqual([expect.stringMatching(/[\u4e00-\u9fff]/)]);
  });

  it("shows the step that it names, with its command", async () => {
    const [card] = await cards(`${HOME}en/playbook/oom/#foreign`);

    expect(card).toContain("nvidia-smi");
    expect(card).not.toBe((await cards(`${HOME}en/playbook/oom/`))[0]);
  });

  it("that leads nowhere shows nothing", async () => {
    expect(await cards(`${HOME}en/playbook/no-such/`)).toEqual([]);
    expect(await cards(`${HOME}fr/playbook/oom/`)).toEqual([]);
  });
});

describe("a link to a case", () => {
  it("shows in its channel how it stood, and what came of it since", async () => {
    const link = await linked();

    const [fresh] = await cards(`look: ${link}`);
    expect(fresh).toMatch(/[Rr]ank 37[\s\S]*as of \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);

    await at.slack.click(at.slack.posted("C1")[0], buttons(at.slack.posted("C1")[0])[0] ?? {});
    await at.settled();
    const [old] = await cards(`again: ${link}`);
    expect(old).toMatch(/UTC; since superseded by: .+/);
  });

  it("shows nothing in any other channel, nor of a case that is not there", async () => {
    const link = await linked();

    expect(await cards(link, { channel: "C2" })).toEqual([]);
    expect(await cards(link, { channel: "D2", user: "U2" })).toEqual([]);
    expect(await cards(`${HOME}case/11111111-2222/0`)).toEqual([]);
  });
});

describe("where another company is in the channel", () => {
  const channel = "C4";
  const link = `${HOME}en/playbook/oom/`;

  it("no link shows anything until an admin turned it on, and then those of our own people", async () => {
    expect(await cards(link, { channel })).toEqual([]);

    await at.slack.command("/firstfault", "settings", { user: "U5", channel });
    await at.settled();
    const [view] = at.slack.views;
    if (view) await at.slack.submit(view, { mode: "automatic" });
    await at.settled();

    expect(await cards(link, { channel })).toHaveLength(1);
    expect(await cards(link, { channel, user: "U9" })).toEqual([]);
  });

  it("off in one's own channel is off for links, too", async () => {
    await at.slack.command("/firstfault", "settings");
    await at.settled();
    const [view] = at.slack.views;
    if (view) await at.slack.submit(view, { mode: "off" });
    await at.settled();

    expect(await cards(link)).toEqual([]);
  });
});

it("a card that Slack does not want is let go", async () => {
  at.slack.next("chat.unfurl", { error: "cannot_unfurl_url" });

  expect(await cards(`${HOME}en/playbook/oom/`)).toEqual([]);
  expect(await at.inbox.counts()).toMatchObject({ failed: 0 });
  expect(at.happened).toContainEqual({ kind: "card-not-shown", why: "cannot_unfurl_url" });
});
