// "Diagnose this", on any message, through the front door.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { textOf } from "../../src/demo/fake/slack.ts";
import type { FakeMessage } from "../../src/demo/fake/world.ts";
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

function messageAt(channel: string, ts: string): FakeMessage {
  const found = at.slack.world.find(channel, ts);
  if (!found) throw new Error(`no message ${ts}`);
  return found;
}

async function diagnose(channel: string, ts: string, user = "U2"): Promise<void> {
  await at.slack.shortcut("diagnose", messageAt(channel, ts), { user });
  await at.settled();
}

const posted = (): string[] => at.slack.posted().map((one) => textOf(one));
const whispers = (): string[] => at.slack.whispers().map((one) => textOf(one));

describe("the shortcut", () => {
  it("diagnoses a message that nobody told us of, with its files, in its thread", async () => {
    const ts = at.slack.sayUnheard("last night", { files: [{ name: "job.log", content: CASCADE }] });

    await diagnose("C1", ts);

    const [message] = at.slack.posted();
    expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37.*job\.log:3/s)]);
    expect(message?.thread_ts).toBe(ts);
  });

  it("diagnoses a reply in the thread that it stands in", async () => {
    const thread = at.slack.sayUnheard("what happened here?");
    const ts = at.slack.sayUnheard(fenced(CASCADE), { thread, user: "U3" });

    await diagnose("C1", ts);

    expect(at.slack.posted().map((one) => one.thread_ts)).toEqual([thread]);
  });

  it("says so where it sees no failure, every time it is asked", async () => {
    const ts = await at.slack.say("lunch at 12?");

    await diagnose("C1", ts);
    await diagnose("C1", ts);

    expect(posted()).toEqual([expect.stringContaining("no failure"), expect.stringContaining("no failure")]);
  });

  it("says that a message is read already, to the one who asked", async () => {
    const ts = await at.slack.say(fenced(CASCADE));
    await at.settled();

    await diagnose("C1", ts, "U4");

    expect(posted()).toHaveLength(1);
    expect(at.slack.whispers("U4").map((one) => textOf(one))).toEqual([expect.stringContaining("read already")]);
  });

  it("on what the bot said itself reads nothing, and says so", async () => {
    await at.slack.say(fenced(CASCADE));
    await at.settled();

    await diagnose("C1", at.slack.posted()[0]?.ts ?? "");

    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(0);
    expect(whispers()).toEqual([expect.stringContaining("read already")]);
  });

  it("adds another message of a case's thread to the case", async () => {
    const thread = await at.slack.say(fenced(CASCADE));
    const ts = at.slack.sayUnheard("rank 37 had 77.90 GiB on its card", { thread });
    await at.settled();

    await diagnose("C1", ts);

    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(1);
  });

  it("reads what another program posted in attachments and blocks", async () => {
    const ts = at.slack.sayUnheard("");
    Object.assign(messageAt("C1", ts), {
      user: "UALERT",
      text: "Job failed",
      attachments: [{ title: "moe-70b", text: fenced(CASCADE) }],
    });
    Object.assign(messageAt("C1", ts), { bot_id: "BALERT" });

    await diagnose("C1", ts);

    expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37/)]);
  });

  it("delivered twice gives one case and one answer", async () => {
    const ts = at.slack.sayUnheard(fenced(CASCADE));
    at.slack.duplicate(1);

    await diagnose("C1", ts);

    expect(posted()).toHaveLength(1);
    expect(whispers()).toEqual([]);
  });

  it("in a channel that the bot is not in tells whoever asked how to invite it", async () => {
    const ts = at.slack.sayUnheard(fenced(CASCADE), { channel: "C3" });

    await diagnose("C3", ts);

    expect(posted()).toEqual([]);
    expect(at.slack.whispers("U2").map((one) => textOf(one))).toEqual([expect.stringContaining("/invite @firstfault")]);
  });

  it("answers after the invitation", async () => {
    const ts = at.slack.sayUnheard(fenced(CASCADE), { channel: "C3" });
    await diagnose("C3", ts);
    await at.slack.invite("C3");

    await diagnose("C3", ts);

    expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37/)]);
  });

  it("that fails for good tells whoever asked, with a reference", async () => {
    const no = { error: "fatal_blow" };
    const ts = at.slack.sayUnheard(fenced(CASCADE));
    at.slack.next("chat.postMessage", no, no, no);

    await diagnose("C1", ts);

    expect(whispers()).toEqual([expect.stringContaining("ff-test")]);
  });
});
