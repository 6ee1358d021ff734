// Somebody says that the diagnosis is wrong: what it was is asked, kept, and given to an owner.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { candidatesCommand } from "../../src/cli/candidates.ts";
import { findLabelled } from "../../src/cli/labels.ts";
import { buttons, textOf } from "../../src/demo/fake/slack.ts";
import type { OpenView } from "../../src/demo/fake/world.ts";
import { fakeIo } from "../cli/io.ts";
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

const LOG = [
  ...Array.from({ length: 10 }, (_, n) => `step ${n} | loss 2.${n}`),
  CASCADE,
  "password=hunter2hunter2",
].join("\n");

async function opened(): Promise<string> {
  const ts = await at.slack.say(fenced(LOG));
  await at.settled();
  return ts;
}

async function choose(user = "U2"): Promise<OpenView | undefined> {
  const message = at.slack.posted()[0];
  const menu = buttons(message).find((element) => element.action_id?.startsWith("more:"));
  await at.slack.click(message, menu ?? {}, { user, choose: "wrong" });
  await at.settled();
  return at.slack.views.at(-1);
}

async function send(view: OpenView | undefined, values: Record<string, string>): Promise<void> {
  if (!view) throw new Error("no form is open");
  await at.slack.submit(view, values);
  await at.settled();
}

const whispers = (user = "U2"): string[] => at.slack.whispers(user).map((one) => textOf(one));

describe("a diagnosis called wrong", () => {
  it("is kept with the lines in question and what it was, and whoever said so is told", async () => {
    await opened();

    await send(await choose(), { label: "other", words: "a leftover process, api_key=sk-ant-REDACTED" });

    const [candidate] = await at.candidates.all();
    expect(candidate).toMatchObject({ label: "other", by: { id: "U2" }, was: { label: "oom", status: "confirmed" } });
    expect(candidate?.text).toContain("CUDA out of memory");
    expect(candidate?.text).toContain("step 9 |");
    expect(candidate?.text).not.toContain("step 1 |");
    expect(candidate?.text.split("\n")[Number(candidate.rootLine) - 1]).toMatch(/CUDA out of memory/);
    expect(JSON.stringify(candidate)).not.toMatch(/hunter2|abcdefghijklmnopqrstuvwx/);
    expect(whispers()).toEqual([expect.stringContaining("Noted on the case")]);
    expect(at.slack.views).toEqual([]);
  });

  it("is kept from the quotes of the case where the message is edited meanwhile", async () => {
    const ts = await opened();
    const view = await choose();
    at.slack.hold("chat.update");
    await at.slack.edit({ channel: "C1", ts }, "never mind");
    at.slack.release("chat.update");

    await send(view, { label: "none" });

    const [candidate] = await at.candidates.all();
    expect(candidate?.text).toContain("CUDA out of memory");
    expect(candidate?.text).not.toContain("step 9");
  });

  it("goes with the message that it came from", async () => {
    const ts = await opened();
    await send(await choose(), { label: "none" });

    await at.slack.remove({ channel: "C1", ts });
    await at.settled();

    expect(await at.candidates.all()).toEqual([]);
  });

  it("is exported as a labelled paste that eval reads", async () => {
    await opened();
    await send(await choose("U2"), { label: "nccl-timeout", words: "the fabric" });
    await send(await choose("U3"), { label: "none" });
    const dir = join(mkdtempSync(join(tmpdir(), "firstfault-")), "out");

    expect(await candidatesCommand(["export", dir], fakeIo({ data: dirname(at.file) }))).toBe(0);

    const labelled = await findLabelled(dir);
    expect(labelled.map(({ primary }) => primary)).toEqual(["nccl-timeout", "none"]);
    const [row] = readFileSync(join(dir, "labels.jsonl"), "utf8").split("\n");
    expect(JSON.parse(row ?? "")).toMatchObject({ why: "the fabric", was: { label: "oom" } });
    expect(readFileSync(labelled[0]?.path ?? "", "utf8")).toContain("CUDA out of memory");
  });
});

describe("the form", () => {
  it("opens while an edit in the same thread waits for Slack's leave", async () => {
    const thread = await opened();
    at.slack.next("chat.update", { limited: 50 });
    await at.slack.say(fenced("2026-03-02 04:12:00,000 [rank37]: torch.OutOfMemoryError: CUDA out of memory."), {
      thread,
    });
    const message = at.slack.posted()[0];
    const menu = buttons(message).find((element) => element.action_id?.startsWith("more:"));

    await at.slack.click(message, menu ?? {}, { user: "U2", choose: "wrong" });
    for (let n = 0; n < 300 && at.slack.views.length === 0; n++) await sleep(10);

    expect(at.slack.views).toHaveLength(1);
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(0);
  });

  it.each([
    ["Slack says that the trigger is dead", { error: "expired_trigger_id" }],
    ["Slack limits forms", { limited: 30 }],
    ["Slack does not answer in time", { stalls: 4000 }],
  ])("that does not open is said in words: %s", async (_why, weather) => {
    await opened();
    at.slack.next("views.open", weather);

    await choose();

    expect(whispers()).toEqual([expect.stringContaining("did not open the form in time")]);
  });

  it("that Slack limits is counted", async () => {
    await opened();
    at.slack.next("views.open", { limited: 30 });

    await choose();

    expect(at.happened).toContainEqual({ kind: "rate-limited", method: "views.open", seconds: 30 });
  });

  it("whose click was worked on only after a restart is said in words, too", async () => {
    await opened();
    const id = String(at.slack.posted()[0]?.metadata?.event_payload.case);
    const click = {
      type: "block_actions",
      team: { id: "T1" },
      user: { id: "U2", team_id: "T1" },
      channel: { id: "C1" },
      container: { channel_id: "C1", message_ts: at.slack.posted()[0]?.ts },
      actions: [{ type: "overflow", action_id: `more:${id}`, action_ts: "9.9", selected_option: { value: "wrong" } }],
    };
    await at.inbox.receive({ team: "T1", id: "click:9" }, JSON.stringify(click), new Date().toISOString());

    const next = await openWorkplace({ file: at.file, slack: at.slack });
    await next.settled();
    await next.close();

    expect(whispers()).toEqual([expect.stringContaining("did not open the form in time")]);
  });
});
