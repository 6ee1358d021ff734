// python3 mfu.py …, the script that a step of the slow-run playbook posts: the model's work over what the cards could do.
//   per GPU:     300.1 of 989 TFLOP/s
//   MFU:         30.3 %
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { createFacts, digits, said } from "./said.ts";

const COMMAND = "python3 mfu.py --params 32B --layers 64 --hidden 5120 --seq 4096 --tokens 4M --step-s 8.6 --gpus 256";
const PER_GPU = /^per GPU:\s{0,12}(\d{1,6}(?:\.\d{1,4})?) of (\d{1,6}(?:\.\d{1,4})?) TFLOP\/s$/;
const SHARE = /^MFU:\s{0,12}(\d{1,4}(?:\.\d{1,4})?) ?%$/;
const USAGE = /^usage: mfu\.py |^mfu\.py: error: /;

export const mfu: OutputReader = {
  id: "mfu",
  command: COMMAND,
  owns: (line) => /(?:^|[\s/])mfu\.py\b/.test(line),
  knows: ({ lines }) =>
    lines
      .filter(({ text, command }) => !command && [PER_GPU, SHARE, USAGE].some((pattern) => pattern.test(text.trim())))
      .map(({ line }) => line),
  read,
};

function read({ lines }: OutputText): ToolReading {
  const facts = createFacts();
  let usage: number | undefined;
  let peak: number | undefined;
  for (const { line, text } of lines) {
    const row = text.trim();
    if (USAGE.test(row)) usage ??= line;
    const rate = PER_GPU.exec(row);
    const share = SHARE.exec(row);
    if (rate) peak = Number(rate[2]);
    if (rate) facts.add("tflops_gpu", Number(rate[1]), [line]);
    if (share) facts.add("mfu_pct", Number(share[1]), [line]);
  }
  const rate = facts.facts.tflops_gpu?.value;
  const share = facts.facts.mfu_pct?.value;
  if (usage !== undefined && share === undefined) {
    return {
      status: "refused",
      refusal: "usage",
      finding: said(`mfu.py lacks an argument. Run: ${COMMAND}`, `mfu.py 缺少参数。请运行：${COMMAND}`),
      line: usage,
    };
  }
  if (typeof rate !== "number" || typeof share !== "number" || peak === undefined) {
    return {
      status: "partial",
      finding: said("Of the three lines of mfu.py one is missing.", "mfu.py 的三行输出缺了一行。"),
      facts: facts.facts,
      problems: [{ line: lines.length, say: "paste all that mfu.py printed" }],
    };
  }
  return {
    status: "read",
    finding: said(
      `MFU ${digits(share)} %: ${digits(rate)} of ${digits(peak)} TFLOP/s on each GPU.`,
      `MFU ${digits(share)}%：每张 GPU ${digits(rate)} / ${digits(peak)} TFLOP/s。`,
    ),
    facts: facts.facts,
  };
}
