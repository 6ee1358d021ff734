import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { clusterOf } from "../../bench/cluster.ts";
import { run } from "../../src/cli/run.ts";
import { catalog } from "./catalog.ts";
import { fakeIo } from "./io.ts";

const OOM =
  "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 3 has a total capacity of 79.11 GiB of which 1.21 GiB is free.";

/** Bytes as a compressed file has them: all values, none more often. */
function packed(size: number): Uint8Array {
  let state = 7;
  return Uint8Array.from({ length: size }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

function folder(files: Record<string, string | Uint8Array>): string {
  const dir = mkdtempSync(join(tmpdir(), "firstfault-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(dir, name, ".."), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return dir;
}

async function diagnose(args: string[], stdin = ""): Promise<{ code: number; printed: string; complained: string }> {
  const io = fakeIo({ stdin });
  const code = await run(["diagnose", ...args], io, () => catalog);
  return { code, printed: io.printed, complained: io.complained };
}

async function json(args: string[], stdin = ""): Promise<Record<string, unknown>> {
  const { printed } = await diagnose(["--json", ...args], stdin);
  return JSON.parse(printed);
}

describe("diagnose", () => {
  it("prints the verdict of standard input as one JSON object", async () => {
    expect(await json([], `${OOM}\n`)).toMatchObject({
      schema: "firstfault/diagnosis/v1",
      label: "oom",
      status: "confirmed",
      playbook: "oom",
      start: expect.stringMatching(/^oom#/),
      root: { line: 1, rank: 3, role: "cause" },
      facts: { tried_alloc_gib: { value: 3.5, lines: [1] }, gpu_total_gib: { value: 79.11 }, rank: { value: 3 } },
      input: { sources: 1, lines: 1, ranks_seen: ["3"] },
      receipt: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
  });

  it("opens the playbook whose signature states the root, where several serve one label", async () => {
    const xid =
      "[Tue Mar  3 05:14:02 2026] NVRM: Xid (PCI:0000:9a:00): 79, pid='<unknown>', GPU has fallen off the bus.";
    expect(await json([], `${xid}\n`)).toMatchObject({
      label: "other",
      playbook: "gpu-fault",
      start: "gpu-fault#gpu-off-bus",
      subcause: "gpu-off-bus",
    });
    expect(await json([], "worker crashed with status 0xdead\n")).toMatchObject({
      label: "other",
      playbook: "other",
      start: "other#unknown",
    });
  });

  it("names file and line where there are several sources, gzip among them", async () => {
    const dir = folder({ "rank_0.log": "step 1\n", "rank_3.log.gz": gzipSync(`step 1\n${OOM}\n`) });

    expect(await json([dir])).toMatchObject({
      root: { file: "rank_3.log.gz", line: 2, rank: 3 },
      facts: { tried_alloc_gib: { lines: [{ file: "rank_3.log.gz", line: 2 }] } },
    });
  });

  it("says in the terminal who failed first and that the rest follows", async () => {
    const { files } = clusterOf({ seed: 2, ranks: 16, ranksPerNode: 8, steps: 20, fault: "oom", layout: "merged" });
    const { printed, code } = await diagnose([], [...(files[0]?.lines ?? [])].join("\n"));

    expect(code).toBe(0);
    expect(printed).toMatch(/^Rank \d+ .*ran out of GPU memory\. The 15 time-outs follow from it\./);
  });

  it("exits with 1 where a fault was asked to fail the epilogue, and 0 on a healthy log", async () => {
    expect((await diagnose(["--fail-on", "fault"], OOM)).code).toBe(1);
    expect((await diagnose(["--fail-on", "fault"], "all good\n")).code).toBe(0);
  });

  it("gives the same receipt for the same text, and another for another", async () => {
    const [first, again, other] = await Promise.all([json([], OOM), json([], OOM), json([], `${OOM} `)]);

    expect(first?.receipt).toBe(again?.receipt);
    expect(other?.receipt).not.toBe(first?.receipt);
  });

  it("keeps a secret out of output, counts it, and gives the facts it gives without it", async () => {
    const secret = `hf_${"aB3".repeat(11)}x`;
    const plain = await json([], `export HF_TOKEN=x\n${OOM}\n`);
    const printed = await json([], `export HF_TOKEN=${secret}\n${OOM}\n`);

    expect(JSON.stringify(printed)).not.toContain(secret);
    expect(printed.facts).toEqual(plain.facts);
    expect(Object.keys((printed.input as { redacted: object }).redacted)).not.toEqual([]);
  });

  it("speaks Chinese where asked", async () => {
    expect((await diagnose(["--lang", "zh"], OOM)).printed).toMatch(/3 号 rank/);
  });
});

describe("what cannot be read", () => {
  it.each([
    ["nothing on standard input", [], /stdin is empty: there is nothing to read/],
    ["a file that is not there", ["/no/such.log"], /there is no file or folder \/no\/such.log\. Check the path/],
    ["an unknown language", ["--lang", "fr"], /--lang knows "en" and "zh"/],
    ["an unknown option", ["--jsn"], /Unknown option '--jsn'/],
    ["an unknown thing to fail on", ["--fail-on", "noise"], /--fail-on knows "fault" only/],
  ])("says what is wrong with %s, and exits with 2", async (_, args, message) => {
    const { code, complained, printed } = await diagnose(args);

    expect(complained).toMatch(message);
    expect({ code, printed }).toEqual({ code: 2, printed: "" });
  });

  it.each([
    ["an empty file", { "job.log": "" }, "job.log", /job.log is empty: there is nothing to read/],
    [
      "a binary file",
      { "job.log": Uint8Array.from({ length: 4096 }, (_, at) => at % 7) },
      "job.log",
      /is a binary file, not a log/,
    ],
    ["packed data under a log's name", { "job.log": packed(4096) }, "job.log", /is a binary file, not a log/],
    ["UTF-16", { "job.log": Buffer.from("\ufeffKilled", "utf16le") }, "job.log", /is UTF-16\. Convert it: iconv/],
    [
      "half a gzip file",
      { "job.log.gz": gzipSync("Killed\n".repeat(500)).subarray(0, 30) },
      "job.log.gz",
      /is no whole gzip file/,
    ],
    ["an empty folder", { "a/.keep": "" }, "a", /is a folder without logs in it/],
    ["a folder of empty files", { "a/1.log": "", "a/2.log": "" }, "a", /these files are empty/],
  ])("says what is wrong with %s", async (_, files, name, message) => {
    const { code, complained } = await diagnose([join(folder(files as Record<string, string>), name)]);

    expect(complained).toMatch(message);
    expect(code).toBe(2);
  });

  it("says that a file may not be read", async () => {
    const dir = folder({ "job.log": OOM });
    chmodSync(join(dir, "job.log"), 0o000);
    // Root may read everything, so root becomes somebody else for a moment.
    const root = process.getuid?.() === 0;
    if (root) process.seteuid?.(65534);

    const { complained, code } = await diagnose([join(dir, "job.log")]);
    if (root) process.seteuid?.(0);

    expect(complained).toMatch(/may not be read by this user/);
    expect(code).toBe(2);
  });

  it("reads a log in GBK as text", async () => {
    const gbk = Buffer.from([0xcf, 0xd4, 0xb4, 0xe6, 0xb2, 0xbb, 0xd7, 0xe3, 0x0a]);
    const dir = folder({ "job.log": Buffer.concat([...Array(50).fill(gbk), Buffer.from(OOM)]) });

    expect((await diagnose([join(dir, "job.log")])).printed).toMatch(/ran out of GPU memory/);
  });

  it("leaves out a binary file among logs and says so", async () => {
    const dir = folder({ "rank_1.log": OOM, "core.1234": new Uint8Array(4096) });
    const { code, complained, printed } = await diagnose([dir]);

    expect(complained).toMatch(/core\.1234 is a binary file, not a log\. .*left out/);
    expect(code).toBe(0);
    expect(printed).toMatch(/ran out of GPU memory/);
  });

  it("says that a command does not exist, and what there is", async () => {
    const io = fakeIo();

    expect(await run(["diagnoze"], io, () => catalog)).toBe(2);
    expect(io.complained).toMatch(/there is no command "diagnoze"[\s\S]*firstfault diagnose/);
  });
});
