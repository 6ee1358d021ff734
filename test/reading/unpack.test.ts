// What is in a file, and what is not let in.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unpack } from "../../src/reading/unpack.ts";
import type { Why } from "../../src/reading/unreadable.ts";
import { tar, zip } from "./archives.ts";

interface Unpacked {
  texts: Record<string, string>;
  notes: Why[];
  bytes: number;
}

async function unpacked(content: string | Uint8Array, most = 50_000_000, parts = 100): Promise<Unpacked> {
  const room = { bytes: most, parts };
  const found: Unpacked = { texts: {}, notes: [], bytes: 0 };
  // In pieces of odd sizes, as they come from a network.
  async function* pieces(): AsyncIterable<Uint8Array> {
    const all = Buffer.from(content);
    for (let at = 0; at < all.length; at += 4093) yield all.subarray(at, at + 4093);
  }
  for await (const { name, bytes } of unpack("job.log", pieces(), { room, note: (why) => found.notes.push(why) })) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) {
      found.bytes += chunk.length;
      chunks.push(chunk);
    }
    found.texts[name] = Buffer.concat(chunks).toString();
  }
  return found;
}

/** Packed by the system's own tar. */
function madeByTar(format: "gnu" | "pax"): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "firstfault-tar-"));
  mkdirSync(join(folder, "logs"));
  writeFileSync(join(folder, "logs", "rank_1.log"), LOG);
  writeFileSync(join(folder, "logs", `${"x".repeat(180)}.log`), "long");
  return execFileSync("tar", ["-C", folder, `--format=${format}`, "-cz", "logs"], { maxBuffer: 1e8 });
}

const LOG = "step 1 | loss 2.31\n".repeat(2000);
const random = Uint8Array.from({ length: 4096 }, (_, n) => (n * 7919) >> (n % 5));

describe("a file", () => {
  it.each<[string, Uint8Array, Record<string, string>]>([
    ["of text", Buffer.from(LOG), { "job.log": LOG }],
    ["of UTF-16", Buffer.from(`\ufeff${LOG}`, "utf16le"), { "job.log": LOG }],
    ["of UTF-16 the other way round", Buffer.from(`\ufeff${LOG}`, "utf16le").swap16(), { "job.log": LOG }],
    ["packed by gzip", gzipSync(LOG), { "job.log": LOG }],
    ["packed by gzip in two goes", Buffer.concat([gzipSync("a\n"), gzipSync("b\n")]), { "job.log": "a\nb\n" }],
    [
      "that is a .zip, by the numbers of the ranks",
      zip([
        { name: "logs/rank_10.log", content: "ten" },
        { name: "logs/rank_2.log", content: LOG, stored: true },
        { name: "logs/", content: "" },
      ]),
      { "logs/rank_2.log": LOG, "logs/rank_10.log": "ten" },
    ],
    ["that is a .zip of .gz", zip([{ name: "0.log.gz", content: gzipSync(LOG) }]), { "0.log.gz": LOG }],
    [
      "that is a .tar, long names and all",
      tar([
        { name: "logs/", content: "", type: "5" },
        { name: `${"deep/".repeat(40)}rank_3.log`, content: LOG },
        { name: "rank_4.log.gz", content: gzipSync("four") },
        { name: "rank_5.log", content: "five" },
      ]),
      { [`${"deep/".repeat(40)}rank_3.log`]: LOG, "rank_4.log.gz": "four", "rank_5.log": "five" },
    ],
    [
      "that is a .tar.gz as tar makes it",
      madeByTar("gnu"),
      { "logs/rank_1.log": LOG, [`logs/${"x".repeat(180)}.log`]: "long" },
    ],
    [
      "that is a .tar.gz in the form of POSIX",
      madeByTar("pax"),
      { "logs/rank_1.log": LOG, [`logs/${"x".repeat(180)}.log`]: "long" },
    ],
    [
      "that is a .zip with what systems put beside logs",
      zip([
        { name: "__MACOSX/._job.log", content: "x" },
        { name: ".DS_Store", content: "x" },
        { name: "loss.png", content: "x" },
        { name: "job.log", content: LOG },
      ]),
      { "job.log": LOG },
    ],
  ])("%s gives its texts", async (_what, content, texts) => {
    expect(await unpacked(content)).toMatchObject({ texts, notes: [] });
  });

  it("that was packed while it was written is read as far as it goes", async () => {
    const noise = Array.from({ length: 40_000 }, (_, n) => `${(n * 2_654_435_761) % 4_294_967_296}\n`).join("");
    const whole = gzipSync(noise);

    const { texts, notes } = await unpacked(whole.subarray(0, whole.length - 5000));

    expect(notes).toEqual(["cut"]);
    expect(noise.startsWith(texts["job.log"] ?? "")).toBe(true);
    expect(texts["job.log"]?.length).toBeGreaterThan(1000);
  });

  it("that is a .zip leaves out what is no log, and says so once", async () => {
    const members = ["a.bin1", "b.bin1"].map((name) => ({ name, content: random }));

    const { texts, notes } = await unpacked(zip([...members, { name: "job.log", content: LOG }]));

    expect(Object.keys(texts)).toEqual(["job.log"]);
    expect(new Set(notes)).toEqual(new Set(["some-left"]));
  });

  it.each<[Why, Uint8Array]>([
    ["empty", Buffer.alloc(0)],
    ["empty", gzipSync("")],
    ["not-text", random],
    ["not-text", gzipSync(gzipSync(LOG))],
    ["not-text", gzipSync(zip([{ name: "a", content: LOG }]))],
    ["nothing-inside", tar([{ name: "logs/", content: "", type: "5" }])],
    ["nothing-inside", tar([{ name: "link.log", content: "", type: "2" }])],
    ["too-large", tar([{ name: "a.log", content: LOG, claims: 60_000_000 }])],
    ["too-many", gzipSync(tar(Array.from({ length: 101 }, (_, n) => ({ name: `${n}.log`, content: "x" }))))],
    ["bomb", gzipSync(tar([{ name: "a.log", content: Buffer.alloc(20_000_000, "a") }]))],
    ["broken", Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(100, 7)])],
    ["zip-broken", zip([{ name: "a", content: LOG }]).subarray(0, 200)],
    ["nothing-inside", zip([{ name: "a.png", content: LOG }])],
    ["nothing-inside", zip([])],
    ["nothing-inside", zip([{ name: "a", content: LOG, method: 9 }])],
    ["zip-encrypted", zip([{ name: "a", content: LOG, encrypted: "strongly" }])],
    ["zip-encrypted", zip([{ name: "a", content: LOG, encrypted: true }])],
    ["too-large", zip([{ name: "a", content: LOG, claims: 60_000_000 }])],
    ["too-many", zip(Array.from({ length: 101 }, (_, n) => ({ name: `${n}.log`, content: "x" })))],
    ["too-many", zip(Array.from({ length: 20_001 }, (_, n) => ({ name: `${n}/`, content: "" })))],
    ["bomb", gzipSync(Buffer.alloc(20_000_000, "a"))],
    ["bomb", zip([{ name: "a", content: Buffer.alloc(20_000_000, "a") }])],
    ["bomb", zip([{ name: "a", content: Buffer.alloc(20_000_000, "a"), claims: 1000 }])],
  ])("is %s", async (why, content) => {
    await expect(unpacked(content)).rejects.toMatchObject({ why });
  });

  it.each([
    ["that is no log", random],
    ["that packs none", gzipSync(random)],
    ["that bursts", gzipSync(Buffer.alloc(20_000_000, "a"))],
  ])("%s is let go of, so that nothing goes on fetching it", async (_what, content) => {
    let closed = false;
    async function* endless(): AsyncIterable<Uint8Array> {
      try {
        for (;;) yield content;
      } finally {
        closed = true;
      }
    }
    const read = async (): Promise<void> => {
      const room = { bytes: 1e9, parts: 1 };
      for await (const { bytes } of unpack("job.log", endless(), { room, note: () => {} }))
        for await (const _ of bytes);
    };

    await expect(read()).rejects.toMatchObject({ why: expect.any(String) });

    expect(closed).toBe(true);
  });

  it("whatever is broken in it gives texts or a reason, and ends nothing", async () => {
    const whole = zip([
      { name: "a.log", content: LOG },
      { name: "b.log.gz", content: gzipSync(LOG) },
      { name: "c.log", content: "c", stored: true },
    ]);
    const archive = tar([
      { name: "a.log", content: "a\n".repeat(100) },
      { name: `${"b".repeat(200)}.log`, content: "b" },
    ]);
    for (const packed of [whole, archive, gzipSync(LOG)])
      for (let at = 0; at < packed.length; at++) {
        const broken = Buffer.from(packed);
        broken[at] = (broken[at] ?? 0) ^ (1 << (at % 8)) ^ 0x40;
        await unpacked(broken).catch((error: { why?: string }) => expect(error.why, `byte ${at}`).toMatch(/^[a-z-]+$/));
      }
  });
});
