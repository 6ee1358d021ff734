// Files of a message, through the front door: fetched from the fake Slack, read, answered.
import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFakeSlack, textOf } from "../../src/demo/fake/slack.ts";
import { openDatabase } from "../../src/store/database.ts";
import { createTelemetry } from "../../src/telemetry.ts";
import { CASCADE } from "./logs.ts";
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

  it("is kept quiet about where it is healthy", async () => {
    await say("", { files: [{ name: "job.log", content: "step 100 | loss 2.31\nstep 101 | loss 2.30\n" }] });

    expect(at.slack.messages.filter((one) => one.user === "UBOT")).toEqual([]);
  });

  it("into the thread of a case is further evidence; a tool's output in it is read as one", async () => {
    const thread = await say("", { files: [job] });
    const smi = "pid, used_gpu_memory [MiB]\n41280, 73420 MiB\n90417, 6330 MiB\n";

    await say("", { thread, files: [{ name: "smi.txt", content: smi }] });

    expect(posted()).toEqual([expect.stringContaining("2 compute processes")]);
    expect(at.slack.posted()[0]?.metadata?.event_payload.seq).toBe(1);
  });

  it("is fetched once and answered once when the same delivery comes three times", async () => {
    at.slack.duplicate(1);
    await say("", { files: [job] });

    expect(at.slack.posted()).toHaveLength(1);
    expect(at.slack.downloads).toHaveLength(1);
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
      "core.log is not text. Send the log as text, or packed as .gz or .zip.",
    ]);
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

  it("in a channel only to whoever sent it, and not at all of a picture", async () => {
    await say("look", { files: [{ name: "screen.png", content: "x" }] });
    await say("", { files: [{ name: "job.log", content: "" }] });

    expect(at.slack.posted()).toEqual([]);
    expect(at.slack.whispers().map((one) => [one.ephemeral, one.thread_ts, textOf(one)])).toEqual([
      ["U1", undefined, "job.log is empty. Send what the job printed, stderr too."],
    ]);
  });
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
