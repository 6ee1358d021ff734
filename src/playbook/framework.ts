// A command that is written for several frameworks: `# Megatron-LM  --clip-grad 1.0`, one line each. Whose framework is known
// reads its own lines only.
import type { FactValue } from "../facts/fact.ts";

/** The name at the head of a line -> the value of the fact `framework`. Those without such a value belong to nobody else. */
const NAMES: Readonly<Record<string, string>> = {
  Megatron: "megatron",
  DeepSpeed: "deepspeed",
  TorchTitan: "torchtitan",
  HF: "hf",
  NeMo: "nemo",
  verl: "verl",
};

/** "# HF Trainer: --ddp_timeout 1800" */
const HEAD = new RegExp(`^# (${Object.keys(NAMES).join("|")})\\b`);
/** "#             --moe-aux-loss-coeff 1e-4": the line above goes on. */
const GOES_ON = /^# {3,}\S/;

/** The lines for the frameworks that the facts name, and all that are for everybody; all of them where none is for those. */
export function forFramework(command: string, values: Readonly<Record<string, FactValue>>): string {
  const known = frameworksOf(values);
  let owner: string | undefined;
  const lines = command.split("\n").map((text) => {
    const name = HEAD.exec(text)?.[1];
    if (name !== undefined) owner = NAMES[name];
    else if (!GOES_ON.test(text)) owner = undefined;
    return { text, owner };
  });
  if (!lines.some((line) => line.owner !== undefined && known.has(line.owner))) return command;
  return lines
    .filter((line) => line.owner === undefined || known.has(line.owner))
    .map(({ text }) => text)
    .join("\n");
}

function frameworksOf({ framework, ckpt_format, zero_stage }: Readonly<Record<string, FactValue>>): Set<string> {
  const known = new Set<string>();
  if (typeof framework === "string") known.add(framework);
  if (ckpt_format === "megatron-dist" || ckpt_format === "megatron-legacy") known.add("megatron");
  // A Trainer may run on DeepSpeed: both have settings then.
  if (ckpt_format === "deepspeed" || zero_stage !== undefined) known.add("deepspeed");
  return known;
}
