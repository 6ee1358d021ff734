// Any text gives a verdict, in whatever pieces it comes: a hundred thousand short ones, bytes, and every log of the project
// cut, doubled, shuffled, torn and mixed with others. No pattern takes long over any of it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nastyLines, PIECES } from "../../bench/patterns.ts";
import { pick, type Random, seeded } from "../../bench/random.ts";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { createReader } from "../../src/diagnose/reader.ts";
import { redact } from "../../src/diagnose/redact.ts";
import { rules } from "../diagnose/rules.ts";
import { slowPatternsIn } from "./slow-patterns.ts";

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
  "-----BEGIN PRIVATE KEY-----",
  "password=",
];

/** The seen line of some signature, whole or a part of it. */
function someLine(random: Random): string {
  const { seen } = pick(random, rules.signatures);
  return random() < 0.5 ? seen : seen.slice(Math.floor(random() * seen.length), Math.ceil(random() * seen.length));
}

function someText(random: Random): string {
  const parts = Array.from({ length: Math.floor(random() * 14) }, () => {
    if (random() < 0.1) return String.fromCharCode(Math.floor(random() * 0xffff));
    if (random() < 0.1) return someLine(random);
    const word = pick(random, WORDS);
    return word.slice(0, Math.ceil(random() * word.length));
  });
  return parts.join(pick(random, [" ", "", "\n"]));
}

it("reads a hundred thousand random texts", () => {
  const random = seeded(21);
  for (let round = 0; round < 100_000; round += 1) {
    const text = someText(random);
    const verdict = diagnose(text, rules);
    if (!(verdict.confidence >= 0 && verdict.confidence <= 1)) expect.fail(JSON.stringify(text));
  }
});

it("reads any bytes, and the same verdict from them in whatever pieces they come", () => {
  const random = seeded(23);
  for (let round = 0; round < 3_000; round += 1) {
    const bytes = Buffer.from(Array.from({ length: Math.floor(random() * 3_000) }, () => Math.floor(random() * 256)));
    // Some of them among lines that mean something.
    const text = Buffer.concat([Buffer.from(`${someLine(random)}\n`), bytes, Buffer.from(`\n${someLine(random)}`)]);
    const given = random() < 0.5 ? bytes : text;

    expect(verdictInPieces(given, random)).toEqual(verdictInPieces(given, null));
  }
});

function verdictInPieces(bytes: Uint8Array, random: Random | null): unknown {
  const reader = createReader(rules);
  for (let at = 0; at < bytes.length; ) {
    const to = random ? at + 1 + Math.floor(random() * 700) : bytes.length;
    reader.push("paste", bytes.subarray(at, to));
    at = to;
  }
  return reader.finish();
}

/** Every log of the project, as bytes: labelled pastes, cascades, runs, healthy and quiet texts, logs of playbooks. */
const LOGS = ["fixtures", "playbooks"].flatMap((dir) =>
  readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:log|txt)$/.test(name))
    .sort()
    .map((name) => join(dir, name)),
);
const HEAD = 6_000;

it("reads every log of the project cut, doubled, shuffled, torn and mixed with others", () => {
  const random = seeded(22);
  let other = "";
  for (const name of LOGS) {
    const text = readFileSync(name, "utf8").slice(0, HEAD);
    for (const mutated of mutations(text, other, random)) {
      const { label, confidence } = diagnose(mutated, rules);
      if (label === undefined || !(confidence >= 0 && confidence <= 1))
        expect.fail(`${name}: ${JSON.stringify(mutated)}`);
    }
    other = text;
  }
  expect(LOGS.length).toBeGreaterThan(500);
});

function mutations(text: string, other: string, random: Random): string[] {
  const cut = Math.floor(random() * text.length);
  const lines = text.split("\n");
  const shuffled = lines.map((line) => [random(), line] as const).sort((a, b) => a[0] - b[0]);
  const torn = lines.map((line) => (random() < 0.2 ? `${line.slice(0, line.length >> 1)}${line}` : line));
  const others = other.split("\n");
  const mixed = lines.flatMap((line, at) => [line, others[at] ?? ""]);
  const bytes = Buffer.from(text);
  for (let hit = 0; hit < 40 && bytes.length > 0; hit += 1)
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return [
    text.slice(cut),
    text.slice(0, cut),
    text + text,
    shuffled.map(([, line]) => line).join("\n"),
    torn.join("\r\n"),
    mixed.join("\n"),
    bytes.toString("utf8"),
    bytes.toString("utf16le"),
    lines.join(" "),
  ];
}

it("lets no pattern take ten milliseconds, on lines made for it or on logs that were mutated", () => {
  const random = seeded(24);
  const slow = slowPatternsIn(() => {
    for (const rule of rules.signatures) {
      const pattern = new RegExp(rule.pattern);
      for (const line of nastyLines(rule.seen, 2_048)) pattern.exec(line);
    }
    // As long as a line is kept, through everything that reads it.
    for (const line of nastyLines("x", 32_768)) diagnose(line, rules);
    for (let round = 0; round < 60; round += 1) {
      const line = (someLine(random) + pick(random, PIECES)).repeat(32_768).slice(0, 32_768);
      diagnose(line, rules);
      redact(line);
    }
    for (const name of LOGS.filter((_, index) => index % 8 === 0))
      for (const mutated of mutations(readFileSync(name, "utf8").slice(0, HEAD), "", random)) diagnose(mutated, rules);
  }, 10);

  expect(slow).toEqual([]);
});
