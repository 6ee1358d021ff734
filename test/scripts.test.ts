// The programs that steps ask for: those that need nothing but Python run here, and the output readers read what they print.
// Those that import torch are run on the cluster only; their output's readers are tested on samples.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readOutput } from "../src/diagnose/outputs/read-output.ts";

const PLAYBOOKS = join(import.meta.dirname, "..", "playbooks");
const script = (name: string): string => join(PLAYBOOKS, name);
const all = readdirSync(PLAYBOOKS, { recursive: true, encoding: "utf8" }).filter((name) =>
  /scripts\/.*\.py$/.test(name),
);

const python = spawnSync("python3", ["--version"]).status === 0;
it.runIf(!python && process.env.CI === "true")("finds a python3 in CI", () => {
  expect.fail("python3 is not there; the scripts of the playbooks would go untested");
});

const run = (name: string, ...args: string[]): string =>
  execFileSync("python3", [script(name), ...args], { encoding: "utf8" });
const folder = (): string => mkdtempSync(join(tmpdir(), "firstfault-scripts-"));

it("finds the scripts", () => {
  expect(all.length).toBeGreaterThanOrEqual(6);
});

describe.runIf(python)("a script", () => {
  it.each(all)("is Python, and says how it is used: %s", (name) => {
    const source = readFileSync(script(name), "utf8");
    execFileSync("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read())"], { input: source });
    expect(source).toMatch(/^"""[^"]{40,}/);
  });

  it("counts tokens per expert, and the hot one is read from it", () => {
    const dir = folder();
    mkdirSync(join(dir, "tokens_per_expert"));
    for (const rank of [0, 1, 2, 3]) {
      const tpe = [[100, 110, rank === 2 ? 1_900 : 90, 105]];
      const row = { iter: 500, block: "decoder", layer: 11, tpe };
      writeFileSync(join(dir, "tokens_per_expert", `rank${rank}.jsonl`), `${JSON.stringify(row)}\n`);
    }

    const printed = run("expert-imbalance/scripts/tokens-per-expert.py", dir);
    const { reader, facts } = readOutput(printed);

    expect(reader).toBe("expert-tokens");
    expect(facts.expert?.value).toBe(10);
    expect(facts.layer?.value).toBe(11);
    expect(facts.rank?.value).toBe(2);
  });

  it("puts the sample that repeats itself first", () => {
    const file = join(folder(), "batch.jsonl");
    const words = Array.from({ length: 200 }, (_, at) => `w${(at * 7919) % 1009}`).join(" ");
    const copies = "buy now and save at our shop today only for you my dear friend of old ".repeat(30);
    writeFileSync(
      file,
      [
        { id: "plain", text: words },
        { id: "copies", text: copies },
      ]
        .map((one) => JSON.stringify(one))
        .join("\n"),
    );

    expect(run("loss-spike/scripts/score-samples.py", file).split("\n")[1]).toMatch(/^ +[12] .* copies$/);
  });

  it("lists what two safetensors files do not share, and the shapes are read from it", () => {
    const dir = folder();
    const write = (name: string, shapes: Record<string, number[]>): string => {
      const header = JSON.stringify(
        Object.fromEntries(
          Object.entries(shapes).map(([key, shape]) => [key, { dtype: "F32", shape, data_offsets: [0, 0] }]),
        ),
      );
      const size = Buffer.alloc(8);
      size.writeBigUInt64LE(BigInt(header.length));
      writeFileSync(join(dir, name), Buffer.concat([size, Buffer.from(header)]));
      return join(dir, name);
    };
    const a = write("a.safetensors", { "embed.wte": [50_304, 4_096], head: [8, 8] });
    const b = write("b.safetensors", { "embed.wte": [50_432, 4_096], norm: [8] });

    const printed = run("checkpoint-mismatch/scripts/list_keys.py", a, b);
    expect(printed).toMatch(/^- head \[8, 8\]$/m);
    expect(printed).toMatch(/^\+ norm \[8\]$/m);
    expect(readOutput(printed)).toMatchObject({
      reader: "shape-pairs",
      facts: { param: { value: "embed.wte" }, shape_verdict: { value: "vocab-padding" } },
    });
  });

  it("measures pairs of nodes, and the slow node is read from it", () => {
    const fake = join(folder(), "all_reduce_perf.py");
    writeFileSync(
      fake,
      `import sys
a, b = sys.argv[1:]
bw = 19.8 if "node-05" in (a, b) else 43.7
print("# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 1073741824 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0")
for rank in range(16):
    print(f"#  Rank {rank:2d} Group  0 Pid {4000 + rank:6d} on {(a, b)[rank // 8]:>10s} device {rank % 8:2d} [0x18] NVIDIA H100 80GB HBM3")
print("#                                                              out-of-place                       in-place")
print("#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong")
print("#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)")
print(f"  1073741824     268435456     float     sum      -1    46031   {bw / 1.875:.2f}   {bw:.2f}      0    46012   {bw / 1.875:.2f}   {bw:.2f}      0")
print("# Out of bounds values : 0 OK")
print(f"# Avg bus bandwidth    : {bw}")
`,
    );
    const nodes = ["node-03", "node-04", "node-05", "node-06", "node-07", "node-08"];

    const printed = run("nccl-timeout/scripts/link-matrix.py", "--run", `python3 ${fake} {a} {b}`, ...nodes);
    const { reader, facts } = readOutput(printed);

    expect(reader).toBe("nccl-tests");
    expect(facts.pairs?.value).toBe(6);
    expect(facts.slow_hosts?.value).toEqual(["node-05"]);
  });

  it("gives every pair of nodes once over all rounds", () => {
    const printed = run("nccl-timeout/scripts/link-matrix.py", "--dry-run", "--rounds", "9", "a", "b", "c", "d", "e");
    const pairs = [...printed.matchAll(/-H (\w):8,(\w):8/g)].map(([, one = "", two = ""]) =>
      [one, two].sort().join(""),
    );
    expect(pairs.sort()).toEqual(["ab", "ac", "ad", "ae", "bc", "bd", "be", "cd", "ce", "de"]);
  });

  it("works out the MFU of a step, and it is read from it: 6 x parameters and the attention scores, over the cards' peak", () => {
    const sizes = ["--params", "10B", "--layers", "1", "--hidden", "1000", "--seq", "1000", "--tokens", "1M"];
    const printed = run("slow-run/scripts/mfu.py", ...sizes, "--step-s", "2", "--gpus", "100", "--gpu", "h800");

    // 6e10 + 1.2e7 per token, a million tokens, two seconds, a hundred cards.
    const { reader, facts } = readOutput(printed);
    expect(reader).toBe("mfu");
    expect(facts.tflops_gpu?.value).toBe(300.1);
    expect(facts.mfu_pct?.value).toBe(30.3);
  });
});
