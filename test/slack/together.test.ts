// Several messages in a row by one person are one case, through the front door.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buttons, textOf } from "../../src/demo/fake/slack.ts";
import { CASCADE, fenced, OTHER } from "./logs.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

let at: Workplace;
beforeEach(async () => {
  at = await openWorkplace();
});
afterEach(async () => {
  expect(at.slack.refusals).toEqual([]);
  await at.close();
});

const TRY = join(import.meta.dirname, "..", "..", "fixtures", "try");
const LINES = CASCADE.split("\n");
const ROOT = LINES.slice(0, 3).join("\n");
const VICTIMS = LINES.slice(3).join("\n");
const SMI = "pid, used_gpu_memory [MiB]\n41280, 73420 MiB\n90417, 6330 MiB";

async function say(...given: Parameters<Workplace["slack"]["say"]>): Promise<string> {
  const ts = await at.slack.say(...given);
  await at.settled();
  return ts;
}

/** A moment of Slack's, so many seconds ago. */
const ago = (seconds: number): string => (Date.now() / 1000 - seconds).toFixed(6);
const threads = (): unknown[] => at.slack.posted().map(({ thread_ts }) => thread_ts);
const entries = (): unknown => at.slack.posted()[0]?.metadata?.event_payload.seq;

describe("what one person sends right after a log", () => {
  it("is further evidence of its case, which is shown in the first message's thread", async () => {
    const first = await say(fenced(ROOT));
    await say(fenced(VICTIMS));

    expect(threads()).toEqual([first]);
    expect(entries()).toBe(1);
  });

  it("leads its sender to the case, and gets one of its own where that is wrong", async () => {
    const first = await say(fenced(ROOT));
    const second = await say(fenced(VICTIMS));

    const [offer, ...more] = at.slack.whispers("U1");
    expect(more).toEqual([]);
    expect(textOf(offer)).toContain("together with what you sent just before");
    expect(JSON.stringify(offer?.blocks)).toContain(`/archives/C1/p${first.replace(".", "")}`);
    await at.slack.click(offer, buttons(offer)[0] ?? {});
    await at.settled();

    expect(threads()).toEqual([first, second]);
  });

  it("changes the answer, where the first message showed only victims", async () => {
    await say(fenced(VICTIMS));
    expect(textOf(at.slack.posted()[0])).not.toContain("ank 37");
    await say(fenced(ROOT));

    expect(at.slack.posted().map((one) => textOf(one))).toEqual([
      expect.stringMatching(/^Rank 37 \(GPU 5\) ran out of GPU memory\.[\s\S]*4 ranks gave up/),
    ]);
    expect(at.slack.posted()[0]?.metadata?.event_payload.label).toBe("oom");
  });

  it("sent at the same moment is one case as well", async () => {
    const said = [fenced(ROOT), fenced(VICTIMS), fenced(SMI)].map((text) => at.slack.say(text));
    const [first] = await Promise.all(said);
    await at.settled();

    expect(threads()).toEqual([first]);
    expect(entries()).toBe(2);
  });

  it("as a file is one, too, and what a tool printed is read", async () => {
    await say(fenced(CASCADE));
    await say("here is the card:", { files: [{ name: "smi.txt", content: SMI }] });

    expect(at.slack.posted().map((one) => textOf(one))).toEqual([expect.stringContaining("2 compute processes")]);
  });

  it("delivered twice, or edited, is read once, or again, in that case", async () => {
    await say(fenced(ROOT));
    at.slack.duplicate(1);
    const second = await say(fenced(VICTIMS));
    expect(entries()).toBe(1);

    await at.slack.edit({ channel: "C1", ts: second }, fenced(`${VICTIMS}\n${SMI}`));
    await at.settled();

    expect(at.slack.posted()).toHaveLength(1);
    expect(entries()).toBe(2);
  });

  it("with replies under it brings them to that case", async () => {
    await say(fenced(ROOT));
    const second = await say(fenced(VICTIMS));

    await say(fenced(SMI), { thread: second, user: "U3" });

    expect(at.slack.posted()).toHaveLength(1);
    expect(entries()).toBe(2);
  });

  it("in a direct message is said to belong there", async () => {
    const first = await say(fenced(ROOT), { channel: "D1" });
    const second = await say(fenced(VICTIMS), { channel: "D1" });

    expect(threads()).toEqual([first, second]);
    expect(textOf(at.slack.posted()[1])).toContain("together with what you sent just before");
  });

  it("delivered before it is one case all the same", async () => {
    await at.slack.outOfOrder(async () => {
      await at.slack.say(fenced(CASCADE), { ts: ago(2) });
      await at.slack.say(fenced(VICTIMS), { ts: ago(1) });
    });
    await at.settled();

    expect(at.slack.posted()).toHaveLength(1);
  });
});

describe("a case of its own opens", () => {
  it.each([
    ["for another person's log", { user: "U2" }],
    ["in another channel", { channel: "C2" }],
    ["after half a minute", {}, 31],
  ])("%s", async (_what, more, earlier = 0) => {
    await say(fenced(CASCADE), { ts: ago(earlier) });
    await say(fenced(OTHER), more);

    expect(new Set(threads()).size).toBe(2);
  });

  it("for each of several runs, one right after another", async () => {
    const asked: string[] = [];
    for (const name of readdirSync(TRY)) asked.push(await say(fenced(readFileSync(join(TRY, name), "utf8"))));

    expect(asked.length).toBeGreaterThan(4);
    expect(threads()).toEqual(asked);
  });

  it("once the one before is closed", async () => {
    await say(fenced(CASCADE));
    const payload = at.slack.posted()[0]?.metadata?.event_payload;
    await at.slack.click(at.slack.posted()[0], {
      type: "button",
      action_id: "close:fixed",
      value: String(payload?.case),
    });
    await at.settled();

    await say(fenced(CASCADE));

    expect(new Set(threads()).size).toBe(2);
  });
});

it.each([
  ["talk", "has anyone seen this?\nI restarted it\nand it is still down"],
  ["a healthy log", "step 100 | loss 2.31 | grad norm 0.9\nstep 101 | loss 2.30 | grad norm 0.8"],
  ["a word of a failure", "I bet it is out of memory again, the third time this week"],
])("leaves %s that follows a log alone", async (_what, text) => {
  await say(fenced(CASCADE));
  await say(text);

  expect(at.slack.posted()).toHaveLength(1);
  expect(entries()).toBe(0);
});
