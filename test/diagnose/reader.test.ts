import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { clusterOf } from "../../bench/cluster.ts";
import { seeded } from "../../bench/random.ts";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { createReader, wrapWidth } from "../../src/diagnose/reader.ts";
import { rules } from "./rules.ts";

const sample = readFileSync("fixtures/try/cascade.log");

function inPieces(bytes: Uint8Array, sizes: () => number): unknown {
  const reader = createReader(rules);
  for (let at = 0; at < bytes.length; ) {
    const size = Math.max(1, sizes());
    reader.push("paste", bytes.subarray(at, at + size));
    at += size;
  }
  return reader.finish();
}

function whole(bytes: Uint8Array): unknown {
  return inPieces(bytes, () => bytes.length);
}

/** 1.5 MB of one job with a fault near its end: past the part that is read line by line. */
function longLog(): Buffer {
  const { files } = clusterOf({ seed: 7, ranks: 8, ranksPerNode: 8, steps: 1_100, fault: "oom", layout: "merged" });
  return Buffer.from([...(files[0]?.lines ?? [])].join("\n"));
}

describe("text in pieces", () => {
  it.each([1, 2, 7, 64, 1000])("gives the verdict of the whole in pieces of %i bytes", (size) => {
    expect(inPieces(sample, () => size)).toEqual(whole(sample));
  });

  it("does so past the part that is read line by line, in pieces of any size", () => {
    const text = longLog();
    const random = seeded(3);
    const expected = whole(text);

    expect(inPieces(text, () => 1 + Math.floor(random() * 9_000))).toEqual(expected);
    expect(inPieces(text, () => 65_536)).toEqual(expected);
    expect(expected).toMatchObject({ label: "oom", status: "confirmed", root: { role: "cause" } });
  });

  it("does so where a Chinese letter, a line end and a colour code are cut", () => {
    const text = Buffer.from(
      "训练到一半卡住了\r\n\u001b[31m[rank3]: RuntimeError: 显存 x\u001b[0m\r\n[rank0]: 进度 1%\r进度 2%\r\n",
    );

    expect(inPieces(text, () => 1)).toEqual(whole(text));
  });

  it("keeps head and tail of a line of 20 MB, and counts it", () => {
    const text = Buffer.concat([
      Buffer.from("[rank1]: "),
      Buffer.alloc(20_000_000, "x"),
      Buffer.from(" CUDA out of memory. Tried to allocate 2.00 GiB\n"),
    ]);
    const random = seeded(1);

    const verdict = inPieces(text, () => 40_000 + Math.floor(random() * 30_000));

    expect(verdict).toEqual(whole(text));
    expect(verdict).toMatchObject({ input: { lines: 1, bytes: text.length, cut_lines: 1 } });
  });
});

describe("any text at all", () => {
  it.each([
    ["nothing", ""],
    ["a blank", " "],
    ["line ends", "\n\r\n\n"],
    ["NULs", "\0\0\0[rank0]: Killed\0\n"],
    ["half a colour code", "\u001b["],
    ["half an escape", "\u001b[31;"],
    ["an open list", "tokens_per_expert: tensor([1, 2,"],
    ["broken JSON", '{"log":"[rank1'],
  ])("gives a verdict for %s", (_, text) => {
    expect(diagnose(text, rules).label).toBeTypeOf("string");
  });

  it("gives a verdict for random bytes", () => {
    const random = seeded(11);
    for (let round = 0; round < 150; round += 1) {
      const bytes = Uint8Array.from({ length: Math.floor(random() * 3_000) }, () => Math.floor(random() * 256));
      expect(whole(bytes)).toHaveProperty("label");
    }
  });

  it("gives a verdict for a log with its letters shuffled, cut and doubled", () => {
    const random = seeded(12);
    const text = sample.toString("utf8");
    for (let round = 0; round < 60; round += 1) {
      const from = Math.floor(random() * text.length);
      const to = from + Math.floor(random() * 200);
      const mutated = random() < 0.5 ? text.slice(0, from) + text.slice(to) : text.slice(0, to) + text.slice(from);
      expect(diagnose(mutated, rules)).toHaveProperty("status");
    }
  });
});

describe("several sources", () => {
  it("names the file of each line, and the rank that a file is named after", () => {
    const { files, truth } = clusterOf({
      seed: 5,
      ranks: 16,
      ranksPerNode: 8,
      steps: 40,
      fault: "exception",
      layout: "per-rank",
    });

    const verdict = diagnose(
      files.map((file) => ({ name: file.name, text: [...file.lines].join("\n") })),
      rules,
    );

    expect(verdict).toMatchObject({ label: "other", root: { rank: truth.rank, role: "cause" } });
    expect(verdict.input.sources[verdict.root?.at.source ?? -1]).toBe(`rank_${truth.rank}.log`);
    expect(verdict.cascade?.victims).toBe(15);
  });

  it("takes no rank from a word in the middle of a name", () => {
    const of = (name: string): number | null | undefined =>
      diagnose([{ name, text: "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB." }], rules).root
        ?.rank;

    expect(of("lora-rank-16-vs-8.log")).toBeNull();
    expect(of("allreduce-rank3-silent.log")).toBeNull();
    expect([of("rank_37.log"), of("out/rank-5.err"), of("train-rank7.log.gz"), of("rank_604.host1.log")]).toEqual([
      37, 5, 7, 604,
    ]);
  });

  it("takes no rank from the name of a file that holds lines of other ranks", () => {
    const text = [
      "[rank17]:[E ProcessGroupNCCL.cpp:523] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600070 milliseconds before timing out.",
      "Exception raised from checkTimeout at ../ProcessGroupNCCL.cpp:525 (most recent call first):",
    ].join("\n");

    const verdict = diagnose([{ name: "hang-in-rank2.log", text }], rules);

    expect(verdict.facts.reporting_ranks?.value).toEqual([17]);
  });

  it("reads a rank from the file's name where lines carry none", () => {
    const oom =
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 5 has a total capacity of 79.11 GiB of which 1.21 GiB is free.";

    const verdict = diagnose(
      [
        { name: "rank_0.log", text: "step 1" },
        { name: "rank_37.log", text: oom },
      ],
      rules,
    );

    expect(verdict.facts.rank?.value).toBe(37);
  });
});

describe("lines broken at the terminal's width", () => {
  it("are put together again", () => {
    const long =
      "RuntimeError: CUDA error: an illegal memory access was encountered while running the fused optimizer kernel";
    const text = [long, `${long} a`, `${long} b`].flatMap((line) => line.match(/.{1,80}/g) ?? []);

    expect(wrapWidth(text)).toBe(80);
  });

  it("are not seen in lines that happen to be as long as each other", () => {
    const rows = [
      "{'loss': 1.1, 'grad_norm': 0.9, 'learning_rate': 1e-05, 'epoch': 0.5, 'tokens': 9}",
      "{'loss': 1.2, 'grad_norm': 0.8, 'learning_rate': 1e-05, 'epoch': 0.6, 'tokens': 8}",
    ];

    expect(wrapWidth([...rows, ...rows, ...rows])).toBe(0);
  });
});
