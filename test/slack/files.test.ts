// Files of a message, through the front door: fetched from the fake Slack, read, answered.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { sql } from "kysely";
import nock from "nock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buttons, createFakeSlack, textOf } from "../../src/demo/fake/slack.ts";
import { openDatabase } from "../../src/store/database.ts";
import { createTelemetry } from "../../src/telemetry.ts";
import { tar, zip } from "../reading/archives.ts";
import { CASCADE, fenced } from "./logs.ts";
import { MANIFEST } from "./manifest.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

let at: Workplace;
beforeEach(async () => {
  at = await openWorkplace();
});
afterEach(async () => {
  expect(at.slack.refusals).toEqual([]);
  await at.close();
});

const job = { name: "job.log", content: CASCADE };

async function say(...given: Parameters<Workplace["slack"]["say"]>): Promise<string> {
  const ts = await at.slack.say(...given);
  await at.settled();
  return ts;
}

/** A host of somebody else, and what it is asked. */
async function openForeign(): Promise<{ host: string; heard: string[]; close(): void }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(request.url ?? "");
    response.end(CASCADE);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, heard, close: () => void server.close() };
}

function posted(): string[] {
  return at.slack.posted().map((one) => textOf(one));
}

describe("a log sent as a file", () => {
  it("into a channel is answered in its thread, like a paste", async () => {
    const ts = await say("", { files: [job] });

    const [message, ...more] = at.slack.posted();
    expect(more).toEqual([]);
    expect(message?.thread_ts).toBe(ts);
    expect(textOf(message)).toMatch(/[Rr]ank 37/);
    expect(message?.metadata?.event_payload).toMatchObject({ label: "oom" });
  });

  it("as a snippet is one, too", async () => {
    await say("", { files: [{ name: "Untitled", content: CASCADE, snippet: true }] });

    expect(at.slack.posted()).toHaveLength(1);
  });

  it("in a direct message is answered there", async () => {
    await say("what is this?", { channel: "D1", files: [job] });

    expect(at.slack.posted("D1").map((one) => textOf(one))).toEqual([expect.stringMatching(/[Rr]ank 37/)]);
  });

  it("of each rank is a source of one case, and lines name their file", async () => {
    const [traceback = "", ...victims] = CASCADE.split(/\n(?=.*\[rank[1-4]\])/);

    await say("all ranks, please look", {
      files: [...victims, traceback].map((content, n) => ({ name: `rank_${n === 4 ? 37 : n + 1}.log`, content })),
    });

    expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37.*rank_37\.log:3/s)]);
  });

  it("beside what its sender pasted tells the message's lines from the file's", async () => {
    const [traceback = "", ...victims] = CASCADE.split(/\n(?=.*\[rank[1-4]\])/);

    await say(fenced(traceback), { files: [{ name: "others.log", content: victims.join("\n") }] });

    expect(posted()).toEqual([expect.stringMatching(/the message, line 3.*others\.log:1/s)]);
  });

  it("is kept quiet about where it is healthy", async () => {
    await say("", { files: [{ name: "job.log", content: "step 100 | loss 2.31\nstep 101 | loss 2.30\n" }] });

    expect(at.slack.messages.filter((one) => one.user === "UBOT")).toEqual([]);
  });

  it("is found under a mention in its thread", async () => {
    const thread = at.slack.sayUnheard("the job died", { files: [job] });

    await say("@firstfault please", { thread, user: "U2" });

    expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37.*job\.log:3/s)]);
    expect(at.slack.posted()[0]?.thread_ts).toBe(thread);
  });

  it("into the thread of a case is further evidence; a tool's output in it is read as one", async () => {
    const thread = await say("", { files: [job] });
    const smi = "pid, used_gpu_memory [MiB]\n41280, 73420 MiB\n90417, 6330 MiB\n";

    await say("", { thread, files: [{ name: "smi.txt", content: smi }] });

    expect(posted()).toEqual([expect.stringContaining("2 compute processes")]);
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(1);
  });

  it("by somebody of another company is asked for by its number", async () => {
    await say("", { files: [{ ...job, name: "rank_37.log" }], user: "U2" });
    const [sent] = at.slack.world.messages[0]?.files ?? [];
    const event = { type: "message", subtype: "file_share", channel: "D1", channel_type: "im", user: "U1", ts: "5.1" };

    await at.slack.event({
      ...event,
      text: "have a look",
      files: [{ id: sent?.id, mode: "file_access", file_access: "check_file_info" }],
    });
    await at.settled();

    expect(at.slack.posted("D1").map((one) => textOf(one))).toEqual([expect.stringContaining("rank_37.log:3")]);
  });

  it("that is deleted takes along what was quoted of it", async () => {
    const ts = await say("", { files: [job] });
    const [message] = at.slack.world.messages;
    const before = { type: "message", user: "U1", ts, text: "", files: message?.files };
    const after = { ...before, files: [{ id: message?.files?.[0]?.id, mode: "tombstone" }] };

    await at.slack.event({
      ...{ type: "message", subtype: "message_changed", channel: "C1", channel_type: "channel", ts: "6.1" },
      ...{ message: after, previous_message: before },
    });
    await at.settled();
    const button = buttons(at.slack.posted()[0]).find((one) => one.action_id?.startsWith("show-lines:"));
    await at.slack.click(at.slack.posted()[0], button ?? {});
    await at.settled();

    expect(at.slack.whispers().map((one) => textOf(one))).toEqual([expect.stringContaining("No lines are kept")]);
  });

  it("is fetched once and answered once when the same delivery comes three times", async () => {
    at.slack.duplicate(1);
    await say("", { files: [job] });

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.downloads).toHaveLength(1);
  });
});

describe("packed logs", () => {
  it("as .gz are read like the log itself", async () => {
    await say("", { files: [{ name: "job.log.gz", content: gzipSync(CASCADE) }] });

    expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37.*line 3/s)]);
  });

  it("of all ranks in one .zip are the sources of one case", async () => {
    const content = zip([
      { name: "../../attempt_0/1/stderr.log", content: CASCADE.split("\n").slice(3).join("\n") },
      { name: "attempt_0/37/stderr.log", content: CASCADE.split("\n").slice(0, 3).join("\n") },
      { name: "loss.png", content: "x" },
    ]);

    await say("", { files: [{ name: "logs.zip", content }] });

    expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37.*attempt_0\/37\/stderr\.log:3/s)]);
    expect(posted().join()).not.toContain("..");
  });

  it("of all ranks in one .tar.gz are, too", async () => {
    const content = gzipSync(
      tar([
        { name: "../logs/rank_1.log", content: CASCADE.split("\n").slice(3).join("\n") },
        { name: "../logs/rank_37.log", content: CASCADE.split("\n").slice(0, 3).join("\n") },
      ]),
    );

    await say("", { files: [{ name: "logs.tgz", content }] });

    expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37.*logs\/rank_37\.log:3/s)]);
  });

  it.each([
    ["a .gz made to burst", "job.gz", gzipSync(Buffer.alloc(50_000_000, "a")), "unpacks to far more than it holds"],
    ["a .zip made to burst", "a.zip", zip([{ name: "a", content: Buffer.alloc(50_000_000, "a") }]), "far more"],
    ["an encrypted .zip", "a.zip", zip([{ name: "a", content: "x", encrypted: true }]), "without a password"],
    ["a broken .zip", "a.zip", Buffer.from("PK\x03\x04 and no more"), "could not be unpacked"],
    ["a .zip without a log", "a.zip", zip([{ name: "a.png", content: "x" }]), "holds no log"],
  ])("that are %s are one sentence, and the rest of the message is read", async (_what, name, content, said) => {
    await say("", { channel: "D1", files: [{ name, content }, job] });

    expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37/), expect.stringContaining(said)]);
  });
});

describe("a file that cannot be read is one sentence about what to do", () => {
  it("where it was deleted meanwhile", async () => {
    await at.slack.outOfOrder(async () => {
      const ts = await at.slack.say("", { channel: "D1", files: [job] });
      await at.slack.remove({ channel: "D1", ts });
    }, [0, 1]);
    await at.settled();

    expect(posted()).toEqual(["job.log was deleted before I could read it. Send it again."]);
  });

  it("where it is no text, and the rest of the message is still read", async () => {
    const core = { name: "core.log", content: Buffer.from("\u007fELF\u0002\u0001\u0001\0\0\0\0\0\0\0\0\0\0\0\0\0") };

    await say("", { channel: "D1", files: [core, job] });

    expect(posted()).toEqual([
      expect.stringMatching(/[Rr]ank 37/),
      "core.log is not text. Send the log as text, or packed as .gz, .zip or .tar.gz.",
    ]);
  });

  it("and nothing more, where there is only talk beside it", async () => {
    await say("our job died, here is its log", { channel: "D1", files: [{ name: "job.log", content: "" }] });

    expect(posted()).toEqual(["job.log is empty. Send what the job printed, stderr too."]);
  });

  it("where it is larger than what is read, without fetching it", async () => {
    await say("", { channel: "D1", files: [{ ...job, size: 300_000_000 }] });

    expect(posted()).toEqual([expect.stringContaining("job.log is too large")]);
    expect(at.slack.downloads).toEqual([]);
  });

  it("where the bot may not read files", async () => {
    await at.close();
    const { oauth_config } = MANIFEST as { oauth_config: { scopes: { bot: string[] } } };
    const scopes = oauth_config.scopes.bot.filter((scope) => scope !== "files:read");
    const slack = await createFakeSlack({ manifest: MANIFEST, scopes, second: 20, retryMs: [0, 50, 100] });
    at = await openWorkplace({ slack });

    await say("", { channel: "D1", files: [job] });

    expect(posted()).toEqual([expect.stringContaining("files:read")]);
    await slack.close();
  });

  it("where it is a page of Slack's own, such as a canvas", async () => {
    await say("", { channel: "D1", files: [{ name: "notes.txt", content: "<html></html>", mimetype: "text/html" }] });
    const canvas = { ...at.slack.world.messages[0]?.files?.[0], mimetype: "application/vnd.slack-docs" };
    const event = { type: "message", channel: "D1", channel_type: "im", user: "U1", ts: "5.1", text: "" };

    await at.slack.event({ ...event, subtype: "file_share", files: [canvas] });
    await at.settled();

    expect(posted().at(-1)).toContain("notes.txt is not text");
  });

  it("in a channel only to whoever sent it, and not at all of a picture", async () => {
    await say("look", { files: [{ name: "screen.png", content: "x" }] });
    await say("", { files: [{ name: "job.log", content: "" }] });

    expect(at.slack.posted()).toEqual([]);
    expect(at.slack.whispers().map((one) => [one.ephemeral, one.thread_ts, textOf(one)])).toEqual([
      ["U1", undefined, "job.log is empty. Send what the job printed, stderr too."],
    ]);
  });
});

describe("the bot's token", () => {
  const event = (url: string): Record<string, unknown> => ({
    type: "message",
    subtype: "file_share",
    channel: "D1",
    channel_type: "im",
    user: "U1",
    ts: "5.1",
    text: "",
    files: [{ id: "F1", name: "job.log", mimetype: "text/plain", mode: "hosted", size: 10, url_private: url }],
  });

  it("goes to Slack's file host over https", async () => {
    const slack = nock("https://files.slack.com", { reqheaders: { authorization: `Bearer ${at.slack.botToken}` } });
    slack.get("/files-pri/T1-F1/job.log").reply(200, CASCADE, { "content-type": "text/plain" });

    await at.slack.event(event("https://files.slack.com/files-pri/T1-F1/job.log"));
    await at.settled();

    expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37/)]);
    slack.done();
  });

  it.each([
    ["another host", (foreign: string) => `http://${foreign}/x`],
    ["Slack's host without https", () => "http://files.slack.com/files-pri/T1-F1/job.log"],
    ["a host that only begins like Slack's", () => "https://files.slack.com.evil.example/x"],
    ["a host that only ends like Slack's", () => "https://evilslack.com/x"],
    ["a host behind Slack's name", (foreign: string) => `http://files.slack.com@${foreign}/x`],
    ["another port of the API's host", (foreign: string) => `http://${foreign}/files-pri/T1-F1/job.log`],
    ["no address at all", () => "file:///etc/passwd"],
  ])("goes nowhere for a file on %s", async (_what, url) => {
    const foreign = await openForeign();

    await at.slack.event(event(url(foreign.host)));
    await at.settled();

    expect(posted()).toEqual([expect.stringContaining("does not lie in Slack itself")]);
    expect(foreign.heard).toEqual([]);
    foreign.close();
  });

  it("follows no redirect off Slack's hosts", async () => {
    const foreign = await openForeign();

    await say("", { channel: "D1", files: [{ ...job, redirects: `http://${foreign.host}/x` }] });

    expect(posted()).toEqual([expect.stringContaining("does not lie in Slack itself")]);
    expect(foreign.heard).toEqual([]);
    foreign.close();
  });
});

it("reads lines of sixty kilobytes", async () => {
  const long = `${"x".repeat(60_000)}\n`;

  await say("", { files: [{ name: "job.log", content: `${long.repeat(50)}${CASCADE}\n${long}` }] });

  expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37.*line 53/s)]);
});

it("shows the name of a file as it is: no markup, no mention, no link", async () => {
  const name = "*<!channel> <@U7> <https://evil.example|x> `job`\u202e.log";

  await say("", { channel: "D1", files: [{ name, content: "" }, { name, content: CASCADE }, { ...job }] });

  expect(posted()).toHaveLength(2);
  expect(at.slack.pings()).toEqual([]);
  expect(JSON.stringify(at.slack.posted())).not.toMatch(/"url":"[^"]*evil|\u202e/);
  expect(
    at.slack
      .posted()
      .map(({ text }) => text)
      .join(),
  ).not.toContain("<");
});

describe("what is kept of a file", () => {
  it("is no secret of it, in no file, message or line of our own log, and nothing of it while it waits", async () => {
    const secret = "AKIAIOSFODNN7EXAMPLE";
    const content = `AWS_ACCESS_KEY_ID=${secret}\n${CASCADE} ${secret}\n`;
    const waits = new Promise<string>((resolve) => {
      const receive = at.inbox.receive;
      at.inbox.receive = (delivery, body, when) => {
        resolve(body);
        return receive(delivery, body, when);
      };
    });

    await say("", { files: [{ name: `password=hunter2${secret}.log`, content, snippet: true }] });

    const kept = ["", "-wal"].map((end) => readFileSync(`${at.file}${end}`, "latin1")).join("");
    const logged: string[] = [];
    const { record } = createTelemetry("debug", { write: (line: string) => void logged.push(line) });
    for (const one of at.happened) record(one);
    expect(posted()).toEqual([expect.stringMatching(/[Rr]ank 37/)]);
    for (const text of [kept, logged.join(""), JSON.stringify(at.slack.calls), await waits])
      expect(text).not.toContain(secret);
    expect(JSON.parse(await waits).event.files.map((file: object) => Object.keys(file).sort())).toEqual([
      ["file_access", "id", "is_external", "mimetype", "mode", "name", "size", "url_private", "url_private_download"],
    ]);
    const database = await openDatabase({ file: at.file });
    const { rows } = await sql<{ body: string }>`select body from inbox`.execute(database.kysely);
    await database.close();
    expect(rows.map(({ body }) => body)).toEqual(rows.map(() => ""));
  });
});
