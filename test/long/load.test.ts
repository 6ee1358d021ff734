// A hundred people paste at once, ten of them files of five megabytes: each is acknowledged at the first try and answered
// once. How soon is printed; Slack gives three seconds.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFakeSlack, type FakeSlack } from "../../src/demo/fake/slack.ts";
import { CASCADE, fenced } from "../slack/logs.ts";
import { MANIFEST } from "../slack/manifest.ts";
import { build, type Program, start } from "../slack/program.ts";

const PASTES = 100;
/** Every so many sends a file of five megabytes. */
const FILE_EVERY = 10;
const HEALTHY = "2026-03-02 03:59:02,418 [rank0]: iteration 18201/ 90000 | lm loss: 2.183E+00 | grad norm: 0.31 |\n";
const BEFORE = HEALTHY.repeat(Math.ceil(5_000_000 / HEALTHY.length));
const CHANNELS = ["C1", "C2", "G1"];

let slack: FakeSlack;
let program: Program;

beforeAll(build, 120_000);
beforeEach(async () => {
  // A machine that does other things besides is no fault of the program: how long it took is printed.
  slack = await createFakeSlack({ manifest: MANIFEST, ackMs: 20_000 });
});
afterEach(async () => {
  await program.kill("SIGTERM");
  await slack.close();
  expect(slack.refusals).toEqual([]);
});

/** Letters only: the same fault but for its numbers would be one case. */
function nameOf(n: number): string {
  return `trainer-${String.fromCharCode(97 + (n % 26))}${String.fromCharCode(97 + Math.floor(n / 26))}`;
}

function percentile(all: readonly number[], share: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

describe.each(["HTTP", "Socket Mode"])("a hundred pastes at once over %s", (mode) => {
  it("are each acknowledged and answered once", { timeout: 120_000 }, async () => {
    program = await start({
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_API_URL: slack.apiUrl,
      FIRSTFAULT_DATA: mkdtempSync(join(tmpdir(), "firstfault-")),
      LOG_LEVEL: "error",
      ...(mode === "HTTP" ? { SLACK_SIGNING_SECRET: slack.signingSecret } : { SLACK_APP_TOKEN: slack.appToken }),
    });
    if (mode === "HTTP") slack.listenAt(`http://127.0.0.1:${program.port}/slack/events`);
    const asked = Array.from({ length: PASTES }, (_, n) => {
      const [channel = "", user] = [CHANNELS[n % CHANNELS.length], `U${1 + (n % 8)}`];
      const log = CASCADE.split("\n").map((line) => `${nameOf(n)}: ${line}`);
      return { channel, user, log: log.join("\n"), thread: slack.sayUnheard(`job ${n} died`, { channel, user }) };
    });
    const began = Date.now();

    await Promise.all(
      asked.map(({ log, ...where }, n) =>
        n % FILE_EVERY === 0
          ? slack.say("", { ...where, files: [{ name: `job-${n}.log`, content: BEFORE + log }] })
          : slack.say(fenced(log), where),
      ),
    );
    while (slack.posted().length < PASTES && Date.now() - began < 60_000) await sleep(20);
    const answered = Date.now() - began;
    // Time for a second answer, if there were one.
    await sleep(1000);

    const pasted = slack.deliveries.filter(({ type }) => type === "message").slice(0, PASTES);
    const ms = pasted.map((one) => one.ms);
    console.info(
      `${PASTES} pastes at once over ${mode}: acknowledged p50 ${percentile(ms, 0.5)} ms, p99 ${percentile(ms, 0.99)} ms; all answered after ${answered} ms`,
    );
    expect(slack.deliveries.filter(({ retries, outcome }) => retries.length > 0 || outcome !== "acknowledged")).toEqual(
      [],
    );
    const threads = slack.posted().map(({ channel, thread_ts }) => `${channel} ${thread_ts}`);
    expect(threads.sort()).toEqual(asked.map(({ channel, thread }) => `${channel} ${thread}`).sort());
  });
});
