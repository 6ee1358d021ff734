// Through Bolt's front door: signed requests in, Web API calls out.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buttons, textOf } from "../../src/demo/fake/slack.ts";
import type { FakeElement } from "../../src/demo/fake/world.ts";
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

function answers(): FakeElement[] {
  return buttons(at.slack.posted()[0]).filter((element) => element.action_id?.startsWith("answer:"));
}

function metadata(): Record<string, unknown> {
  return at.slack.posted()[0]?.metadata?.event_payload ?? {};
}

async function opened(): Promise<string> {
  const ts = await at.slack.say(fenced(CASCADE));
  await at.settled();
  return ts;
}

describe("a log in a channel", () => {
  it("is answered in its thread with the first fault, not the most frequent line", async () => {
    const ts = await opened();

    const [message, ...more] = at.slack.posted();
    expect(more).toEqual([]);
    expect(message?.thread_ts).toBe(ts);
    expect(textOf(message)).toMatch(/[Rr]ank 37/);
    expect(message?.metadata).toMatchObject({
      event_type: "firstfault_case",
      event_payload: { label: "oom", playbook: "oom" },
    });
  });

  it("is walked to its end by clicks, in one message", async () => {
    await opened();

    const steps = [metadata().step];
    for (let clicks = 0; clicks < 40 && !metadata().outcome; clicks++) {
      await at.slack.click(at.slack.posted()[0], answers()[0] ?? {});
      await at.settled();
      steps.push(metadata().step);
    }

    expect(metadata().outcome).toMatch(/fixed|mitigated|handed-over|not-a-fault|unknown/);
    expect(at.slack.posted()).toHaveLength(1);
    expect(steps.length).toBeGreaterThan(3);
  });

  it("is answered once when the same delivery comes three times", async () => {
    const event = {
      type: "message",
      channel: "C1",
      channel_type: "channel",
      user: "U1",
      ts: "5.1",
      text: fenced(CASCADE),
    };

    await Promise.all([
      at.slack.event(event, "EvSame"),
      at.slack.event(event, "EvSame"),
      at.slack.event(event, "EvSame"),
    ]);
    await at.settled();

    expect(at.slack.posted()).toHaveLength(1);
  });

  it("is answered once when a mention arrives as a mention and as a message", async () => {
    const text = `<@UBOT> ${fenced(CASCADE)}`;
    const message = { channel: "C1", channel_type: "channel", user: "U1", ts: "5.1", text };

    await Promise.all([
      at.slack.event({ type: "app_mention", ...message }),
      at.slack.event({ type: "message", ...message }),
    ]);
    await at.settled();

    expect(at.slack.posted()).toHaveLength(1);
  });
});

describe("a click", () => {
  it("that comes twice moves the case once, and says kindly that the step is over", async () => {
    await opened();
    const [first] = answers();
    const message = structuredClone(at.slack.posted()[0]);
    const before = metadata().seq;

    await at.slack.click(message, first ?? {});
    await at.slack.click(message, first ?? {});
    await at.settled();

    expect(metadata().seq).toBe(Number(before) + 1);
    expect(at.slack.whispers().map((one) => textOf(one))).toEqual([expect.stringContaining("That step is over")]);
  });

  it("that is worked on again after a crash is not told that the step is over", async () => {
    await opened();
    const [first] = answers();
    await at.slack.click(at.slack.posted()[0], first ?? {});
    await at.settled();
    const { ts, thread_ts } = at.slack.posted()[0] ?? {};
    const click = {
      type: "block_actions",
      team: { id: "T1" },
      user: { id: "U1", team_id: "T1" },
      channel: { id: "C1" },
      container: { channel_id: "C1", message_ts: ts, thread_ts },
      actions: [{ ...first, action_ts: "9.9" }],
    };
    const delivery = { team: "T1", id: "click:9" };
    await at.inbox.receive(delivery, JSON.stringify(click), new Date().toISOString());
    await at.inbox.take(delivery, new Date().toISOString());

    const next = await openWorkplace({ file: at.file, slack: at.slack });
    await next.settled();
    await next.close();

    expect(metadata().seq).toBe(1);
    expect(at.slack.whispers()).toEqual([]);
  });

  it("by two people at once moves the case once, and tells the slower one who was faster", async () => {
    await opened();
    const [one, other] = answers();
    const message = structuredClone(at.slack.posted()[0]);

    await Promise.all([
      at.slack.click(message, one ?? {}, { user: "U1" }),
      at.slack.click(message, other ?? {}, { user: "U2" }),
    ]);
    await at.settled();

    const whispers = at.slack.whispers();
    expect(whispers).toHaveLength(1);
    expect(textOf(whispers[0])).toContain("was faster");
    expect(metadata().seq).toBe(1);
  });

  it("on a step long over changes nothing", async () => {
    await opened();
    const old = structuredClone(at.slack.posted()[0]);
    const [first] = answers();
    for (const _ of [1, 2]) {
      await at.slack.click(at.slack.posted()[0], answers()[0] ?? {});
      await at.settled();
    }
    const before = metadata();

    await at.slack.click(old, first ?? {}, { user: "U3" });
    await at.settled();

    expect(metadata()).toEqual(before);
    expect(textOf(at.slack.whispers("U3")[0])).toMatch(/was faster|is over/);
  });

  it("on a case that is not kept any more says so", async () => {
    await at.slack.click(
      { channel: "C1", ts: "1.1", thread_ts: "1.0", text: "" },
      { action_id: "answer:yes", value: JSON.stringify({ case: "gone", step: "oom#where", choice: "yes" }) },
    );
    await at.settled();

    expect(textOf(at.slack.whispers()[0])).toContain("no longer kept");
  });

  it("that is delivered again by Slack counts once", async () => {
    await opened();
    const message = structuredClone(at.slack.posted()[0]);
    const [first] = answers();

    for (const _ of [1, 2, 3]) await at.slack.click(message, first ?? {}, { at: "77.1" });
    await at.settled();

    expect(metadata().seq).toBe(1);
    expect(at.slack.whispers()).toEqual([]);
  });
});

describe("the menu", () => {
  const menu = (): FakeElement =>
    buttons(at.slack.posted()[0]).find((element) => element.type === "overflow") ?? { type: "" };
  const whisper = (user = "U1") => at.slack.whispers(user).at(-1);
  const choose = async (verb: string): Promise<void> => {
    const option = menu().options?.find(({ value }) => value.startsWith(verb));
    await at.slack.click(at.slack.posted()[0], menu(), { choose: option?.value ?? "" });
    await at.settled();
  };

  it("offers five things, each named by its verb", async () => {
    await opened();

    expect(menu().action_id).toBe(`more:${metadata().case}`);
    expect(menu().options?.map(({ value }) => value.split(":")[0])).toEqual([
      "back",
      "hand-over",
      "escalate",
      "close",
      "wrong",
    ]);
  });

  it("goes back one step", async () => {
    await opened();
    const start = metadata().step;
    await at.slack.click(at.slack.posted()[0], answers()[0] ?? {});
    await at.settled();
    expect(metadata().step).not.toBe(start);

    await choose("back");

    expect(metadata().step).toBe(start);
  });

  it("hands the case to a person, who is told", async () => {
    await opened();

    await choose("hand-over");
    await at.slack.click(whisper(), buttons(whisper())[0] ?? {}, { choose: "U7" });
    await at.settled();

    const [, notice] = at.slack.posted();
    expect(JSON.stringify(notice?.blocks)).toContain('"user_id":"U7"');
    expect(JSON.stringify(at.slack.posted()[0]?.blocks)).toContain('"user_id":"U7"');
  });

  it("hands it over once, and writes the text for the other team once, where posting them fails at first", async () => {
    await opened();
    const no = { error: "not_now" };

    await choose("hand-over");
    at.slack.next("chat.postMessage", no);
    await at.slack.click(whisper(), buttons(whisper())[0] ?? {}, { choose: "U7" });
    await at.settled();
    await choose("escalate");
    at.slack.next("chat.postMessage", no);
    await at.slack.click(whisper(), buttons(whisper())[0] ?? {});
    await at.settled();

    const [message, handed, escalated, ...more] = at.slack.posted();
    expect(more).toEqual([]);
    expect(JSON.stringify(handed?.blocks)).toContain('"user_id":"U7"');
    expect(textOf(escalated)).toContain("CUDA out of memory");
    expect(message?.metadata?.event_payload).toMatchObject({ outcome: "handed-over" });
  });

  it("asks for the outcome before it closes, and takes nothing after", async () => {
    await opened();
    const old = structuredClone(at.slack.posted()[0]);
    const [first] = answers();

    await choose("close");
    const fixed = buttons(whisper()).find((element) => element.action_id === "close:not-a-fault");
    await at.slack.click(whisper(), fixed ?? {});
    await at.settled();
    await at.slack.click(old, first ?? {}, { user: "U2" });
    await at.settled();

    expect(metadata().outcome).toBe("not-a-fault");
    expect(textOf(whisper("U2"))).toContain("closed");
    expect(buttons(at.slack.posted()[0]).map((element) => element.action_id)).toEqual([
      `show-lines:${metadata().case}`,
    ]);
  });

  it("escalates after asking once, with the text for the other team in the thread", async () => {
    await opened();

    await choose("escalate");
    await at.slack.click(whisper(), buttons(whisper())[0] ?? {});
    await at.settled();

    expect(metadata().outcome).toBe("handed-over");
    expect(textOf(at.slack.posted()[1])).toContain("CUDA out of memory");
  });
});

it("shows the lines behind the claims to the one who asks", async () => {
  await opened();
  const button = buttons(at.slack.posted()[0]).find((element) => element.action_id?.startsWith("show-lines:"));

  await at.slack.click(at.slack.posted()[0], button ?? {}, { user: "U4" });
  await at.settled();

  expect(textOf(at.slack.whispers("U4")[0])).toContain("line 3: ");
});
