// Any text gives a verdict: a hundred thousand short ones, and every labelled paste cut, doubled, shuffled and torn.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Random, seeded } from "../../bench/random.ts";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { rules } from "../diagnose/rules.ts";

const WORDS = [
  "[rank3]:",
  "CUDA out of memory.",
  "Tried to allocate",
  "3.50 GiB",
  "Watchdog caught",
  "NCCL WARN",
  "Traceback (most recent call last):",
  '  File "a.py", line 1, in f',
  "RuntimeError:",
  "loss: nan",
  "iteration 5/ 10 |",
  "grad norm:",
  "{'loss':",
  "step,loss\n1,2",
  "tensor([1, 2,",
  "```",
  "> ",
  "&lt;",
  "\u001b[31m",
  "\u001b[",
  "\0",
  "\r",
  "\n",
  "\n\n",
  "卡住了",
  "显存",
  "?",
  "x".repeat(300),
  "2026-03-02 04:11:09,123",
  "[E1130 04:11:02.123 a.cpp:1]",
  '{"log":"',
  "}",
  "[1,2]<stderr>:",
  "12: ",
  "%%",
  "diff --git a b",
  "3 passed",
  "hf_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

function someText(random: Random): string {
  const parts = Array.from({ length: Math.floor(random() * 14) }, () => {
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? "";
    return random() < 0.1
      ? String.fromCharCode(Math.floor(random() * 0xffff))
      : word.slice(0, Math.ceil(random() * word.length));
  });
  return parts.join(random() < 0.5 ? " " : "");
}

it("reads a hundred thousand random texts", () => {
  const random = seeded(21);
  for (let round = 0; round < 100_000; round += 1) {
    const text = someText(random);
    const verdict = diagnose(text, rules);
    if (!(verdict.confidence >= 0 && verdict.confidence <= 1)) expect.fail(JSON.stringify(text));
  }
});

it("reads every labelled paste cut, doubled, shuffled and torn", () => {
  const random = seeded(22);
  const folders = readdirSync("fixtures/labelled", { withFileTypes: true }).filter((one) => one.isDirectory());
  for (const folder of folders) {
    const dir = join("fixtures/labelled", folder.name);
    for (const name of readdirSync(dir).filter((one) => one.endsWith(".log"))) {
      const text = readFileSync(join(dir, name), "utf8").slice(0, 12_000);
      for (const mutated of mutations(text, random)) expect(diagnose(mutated, rules)).toHaveProperty("label");
    }
  }
});

function mutations(text: string, random: Random): string[] {
  const cut = Math.floor(random() * text.length);
  const lines = text.split("\n");
  const shuffled = lines.map((line) => [random(), line] as const).sort((a, b) => a[0] - b[0]);
  const torn = lines.map((line) => (random() < 0.2 ? `${line.slice(0, line.length >> 1)}${line}` : line));
  const bytes = Buffer.from(text);
  for (let hit = 0; hit < 40 && bytes.length > 0; hit += 1)
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return [
    text.slice(cut),
    text.slice(0, cut),
    text + text,
    shuffled.map(([, line]) => line).join("\n"),
    torn.join("\r\n"),
    bytes.toString("utf8"),
    lines.join(" "),
  ];
}
