// The same fault again in the same channel counts on the case that is open, and leads whoever posts it there.
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

/** The same fault an hour later, on another rank and with other sizes. */
const AGAIN = CASCADE.replaceAll("2026-03-02 04:", "2026-03-02 05:")
  .replaceAll("rank37", "rank12")
  .replaceAll("3.50 GiB", "4.25 GiB");

async function say(text: string, saying: Parameters<typeof at.slack.say>[1] = {}): Promise<string> {
  const ts = await at.slack.say(text, saying);
  await at.settled();
  return ts;
}

const whispers = (user: string) => at.slack.whispers(user);

describe("the same fault again", () => {
  it("opens no second case, counts on the first, and links it to whoever posted", async () => {
    const first = await say(fenced(CASCADE));

    for (const user of ["U2", "U3"]) await say(fenced(AGAIN), { user });

    expect(at.slack.posted()).toHaveLength(1);
    expect(textOf(at.slack.posted()[0])).toMatch(/posted again 2 times, last at \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(whispers("U2")).toHaveLength(1);
    expect(textOf(whispers("U2")[0])).toContain("has an open case");
    expect(JSON.stringify(whispers("U2")[0]?.blocks)).toContain(`/archives/C1/p${first.replace(".", "")}`);
  });

  it("asked about by a mention is answered in its thread, with the link", async () => {
    await say(fenced(CASCADE));

    const thread = await say(`@firstfault ${fenced(AGAIN)}`, { user: "U2" });

    const [, answer, ...more] = at.slack.posted();
    expect([more, answer?.thread_ts]).toEqual([[], thread]);
    expect(textOf(answer)).toContain("has an open case");
  });

  it("that is another one after all gets a case of its own, by a button", async () => {
    await say(fenced(CASCADE));
    const ts = await say(fenced(AGAIN), { user: "U2" });

    const [offer] = whispers("U2");
    await at.slack.click(offer, buttons(offer)[0] ?? {}, { user: "U2" });
    await at.settled();

    expect(at.slack.posted().map(({ thread_ts }) => thread_ts)[1]).toBe(ts);
    expect(textOf(at.slack.posted()[1])).toMatch(/[Rr]ank 12/);
  });

  it("takes what is pasted into its thread to the open case", async () => {
    await say(fenced(CASCADE));
    const thread = await say(fenced(AGAIN), { user: "U2" });

    await say(fenced("2026-03-02 05:12:00,000 [rank12]: torch.OutOfMemoryError: CUDA out of memory."), { thread });

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(2);
  });

  it("counts once, however often Slack delivers it", async () => {
    await say(fenced(CASCADE));
    at.slack.duplicate();
    await say(fenced(AGAIN), { user: "U2" });

    expect(textOf(at.slack.posted()[0])).toContain("posted again once");
  });
});

describe("a case of its own is opened for", () => {
  it("another fault, and the same one in another channel", async () => {
    await say(fenced(CASCADE));
    await say(fenced(OTHER), { user: "U2" });
    await say(fenced(AGAIN), { user: "U3", channel: "C2" });

    expect(at.slack.posted("C1")).toHaveLength(2);
    expect(at.slack.posted("C2")).toHaveLength(1);
  });

  it("the same fault after the first case was closed", async () => {
    await say(fenced(CASCADE));
    const menu = buttons(at.slack.posted()[0]).find((element) => element.action_id?.startsWith("more:"));
    await at.slack.click(at.slack.posted()[0], menu ?? {}, { choose: "close" });
    await at.settled();
    const ask = whispers("U1").at(-1);
    await at.slack.click(ask, buttons(ask)[0] ?? {});
    await at.settled();

    await say(fenced(AGAIN), { user: "U2" });

    expect(at.slack.posted()).toHaveLength(2);
  });
});
