// /firstfault, through the front door.
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { textOf } from "../../src/demo/fake/slack.ts";
import { CASCADE } from "./logs.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

let at: Workplace;
beforeEach(async () => {
  at = await openWorkplace();
});
afterEach(async () => {
  expect(at.slack.refusals).toEqual([]);
  await at.close();
});

async function type(text: string, by: { user?: string; channel?: string } = {}): Promise<void> {
  await at.slack.command("/firstfault", text, by);
  await at.settled();
}

const posted = (): string[] => at.slack.posted().map((one) => textOf(one));
const whispers = (user: string): string[] => at.slack.whispers(user).map((one) => textOf(one));

describe("/firstfault diagnose", () => {
  it("shows the text in the channel and opens its case in the thread", async () => {
    await type(`diagnose ${CASCADE}`, { user: "U2" });

    const [asked, answer, ...more] = at.slack.posted();
    expect(more).toEqual([]);
    expect([asked?.thread_ts, textOf(asked)]).toEqual([undefined, expect.stringContaining("CUDA out of memory")]);
    expect(JSON.stringify(asked?.blocks)).toContain('"user_id":"U2"');
    expect(answer?.thread_ts).toBe(asked?.ts);
    expect(textOf(answer)).toMatch(/[Rr]ank 37/);
  });

  it("delivered twice gives one case", async () => {
    at.slack.duplicate(1);
    await type(`diagnose ${CASCADE}`);

    expect(posted()).toHaveLength(2);
  });

  it("looks into the channel before it posts again, where an answer was lost", async () => {
    at.slack.next("chat.postMessage", "lost");

    await type(`diagnose ${CASCADE}`);

    expect(posted()).toHaveLength(2);
  });

  it("tells only the one who typed it where there is no failure in the text", async () => {
    await type("diagnose lunch at 12?", { user: "U3" });

    expect(posted()).toEqual([]);
    expect(whispers("U3")).toEqual([expect.stringContaining("no failure")]);
  });

  it("shows and keeps no secret, and nothing that opens Slack's doors", async () => {
    await type(`diagnose AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE <!channel> @sam\n${CASCADE}`);

    const kept = ["", "-wal"].map((end) => readFileSync(`${at.file}${end}`, "latin1")).join("");
    expect(posted()).toHaveLength(2);
    for (const text of [kept, JSON.stringify(at.slack.calls)]) expect(text).not.toContain("AKIAIOSFODNN7EXAMPLE");
    expect(kept).not.toMatch(/\/actions\/T1|trigger_id/);
    expect(at.slack.pings()).toEqual(["U1"]);
  });

  it("in a channel that the bot is not in tells the one who typed it how to invite it", async () => {
    await type(`diagnose ${CASCADE}`, { channel: "C3" });

    expect(posted()).toEqual([]);
    expect(whispers("U1")).toEqual([expect.stringContaining("/invite @firstfault")]);
  });
});

describe("/firstfault playbook", () => {
  it("shows what the playbook is for, its first step, and the way to its page", async () => {
    await type("playbook oom");

    const [card] = at.slack.posted();
    expect(posted()).toEqual([expect.stringContaining("Which memory ran out, the card's or the host's?")]);
    expect(JSON.stringify(card?.blocks)).toContain('"url":"https://firstfault.example.org/en/playbook/oom/"');
  });

  it("shows every playbook within Slack's limits", async () => {
    for (const id of at.playbooks) await type(`playbook ${id}`);

    expect(posted()).toHaveLength(at.playbooks.length);
  });

  it.each(["playbook", "playbook nope", "playbook <!channel>"])(
    "names them all to the one who typed %j",
    async (text) => {
      await type(text, { user: "U4" });

      expect(posted()).toEqual([]);
      expect(whispers("U4")).toEqual([expect.stringMatching(/oom/)]);
      expect(at.slack.pings()).toEqual([]);
    },
  );
});

it("answers only the one who typed it, with what it can do", async () => {
  await type("help", { user: "U5" });

  expect(posted()).toEqual([]);
  expect(whispers("U5")).toEqual([expect.stringMatching(/diagnose TEXT.*playbook ID.*Diagnose this/)]);
});

it.each([
  ["", "opens a case for a text"],
  ["diagnose", "I know /firstfault diagnose TEXT"],
  ["dance", "I know /firstfault diagnose TEXT"],
])("/firstfault %s answers only the one who typed it", async (text, said) => {
  await type(text, { user: "U5" });

  expect(posted()).toEqual([]);
  expect(whispers("U5")).toEqual([expect.stringContaining(said)]);
});
