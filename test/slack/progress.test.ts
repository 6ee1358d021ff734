// What takes long to read says so to whoever asked; nobody else hears of it.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { textOf } from "../../src/demo/fake/slack.ts";
import { CASCADE } from "./logs.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

let at: Workplace;
beforeEach(async () => {
  at = await openWorkplace({ editPauseMs: 0, longMs: 20 });
});
afterEach(async () => {
  expect(at.slack.refusals).toEqual([]);
  await at.close();
});

/** A log that comes slowly. */
const slow = {
  name: "job.log",
  size: CASCADE.length,
  async *content() {
    await sleep(200);
    yield Buffer.from(CASCADE);
  },
};
const file = { ...slow, content: () => slow.content() };

it("is said, to whoever asked alone, and then the answer comes", async () => {
  await at.slack.say("@firstfault what is this?", { files: [file] });
  await at.settled();

  expect(at.slack.whispers("U1").map((one) => one.text)).toEqual([expect.stringMatching(/takes a moment/)]);
  expect(at.slack.posted().map(textOf)).toEqual([expect.stringMatching(/Rank 37/)]);
});

it("is not said where nobody asked", async () => {
  await at.slack.say("", { files: [file] });
  await at.settled();

  expect(at.slack.whispers()).toEqual([]);
  expect(at.slack.posted().map(textOf)).toEqual([expect.stringMatching(/Rank 37/)]);
});
