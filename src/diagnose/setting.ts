// What a log says of the job itself, whatever failed: how many ranks, how they are laid out, which step was reached, where
// the checkpoint lies. Read from lines that every framework prints in its own way.
import type { FactValue } from "../facts/fact.ts";
import type { Line } from "./lines.ts";

export interface Said {
  name: string;
  value: FactValue;
  line: Line;
}

export interface Setting {
  look(line: Line): void;
  /** The first of each name. */
  said(): Said[];
  /** Whose exception Ray passes on: "ray::Worker.step() (pid=81, ip=10.0.0.9, ...)". */
  workers(): { pid: number; ip: string; line: Line }[];
  /** Steps of progress bars, in order of reading. */
  bars(): { step: number; line: Line }[];
  /** Steps that lines about saving, loading and resuming name. */
  marks(): { step: number; line: Line }[];
}

/** What is searched for past the part that is read line by line. */
export const SETTINGS = [
  "world size",
  "world_size",
  "WORLD_SIZE",
  "MEMBER: ",
  "model_parallel_size",
  "StepId=",
  "ray::",
  "\tpid: ",
  "\tip: ",
];

/** The group is the value; `seen` keeps the line it was written for. */
const ONCE: { name: string; pattern: RegExp; text?: true }[] = [
  { name: "world_size", pattern: /world_size \d{1,9} != \d{1,9} \* \d{1,9} \* (\d{1,6})\b/ },
  { name: "job", pattern: /\b(?:StepId=|Job[Ii]d=|JOB |STEP |SLURM_JOB_ID[=:] ?)(\d{3,12})\b/, text: true },
  { name: "world_size", pattern: /\bworld[ _]size["']?\s{0,2}[:= ]\s{0,2}(\d{1,6})\b(?! != )/i },
  { name: "world_size", pattern: /\bMEMBER: \d{1,6}\/(\d{1,6})\b/ },
  { name: "world_size", pattern: /Starting with (\d{1,6}) processes/ },
  { name: "world_size", pattern: /^\s*world_size \.{3,60} (\d{1,6})\s*$/ },
  { name: "world_size", pattern: /\[rank ?\d{1,6}\/(\d{1,6})\]/i },
  { name: "tp", pattern: /^\s*tensor_model_parallel_size \.{3,60} (\d{1,4})\s*$/ },
  { name: "pp", pattern: /^\s*pipeline_model_parallel_size \.{3,60} (\d{1,4})\s*$/ },
  { name: "ep", pattern: /^\s*expert_model_parallel_size \.{3,60} (\d{1,4})\s*$/ },
  { name: "cp", pattern: /^\s*context_parallel_size \.{3,60} (\d{1,4})\s*$/ },
  { name: "dp", pattern: /^\s*data_parallel_size \.{3,60} (\d{1,6})\s*$/ },
  { name: "tp", pattern: /\btensor-model-parallel size: (\d{1,4})/ },
  { name: "pp", pattern: /\bpipeline-model-parallel size: (\d{1,4})/ },
  { name: "ep", pattern: /\bexpert-model-parallel size: (\d{1,4})/ },
  { name: "cp", pattern: /\bcontext-parallel size: (\d{1,4})/ },
  { name: "dp", pattern: /\bdata-parallel-size: (\d{1,6})/ },
  { name: "tp", pattern: /--tensor-model-parallel-size[ =](\d{1,4})\b/ },
  { name: "pp", pattern: /--pipeline-model-parallel-size[ =](\d{1,4})\b/ },
  { name: "ep", pattern: /--expert-model-parallel-size[ =](\d{1,4})\b/ },
];

/** Whose training lines these are, by what only one framework prints; a line of each must hold the first text. */
const FRAMEWORKS: { framework: string; holds: string; pattern: RegExp }[] = [
  {
    framework: "megatron",
    holds: " | consumed samples:",
    pattern: /\biteration\s{1,12}\d{1,9}\s{0,2}\/\s{0,12}\d{1,9} \|/,
  },
  { framework: "torchtitan", holds: "memory: ", pattern: /\bstep:\s{1,4}\d{1,9}\s{1,4}loss:.{0,120}\btps: / },
  { framework: "hf", holds: "loss", pattern: /\{['"]loss['"]: .{1,120}['"]learning_rate['"]: / },
  { framework: "nemo", holds: "reduced_train_loss: ", pattern: /\bglobal_step: \d{1,9}/ },
];

/** A bar of training: "412/120000 [13:41<65:44:10, 1.98s/it", with or without what stands in front of it. */
const BAR = /(?:^|[\s|])(\d{1,9})\/(?:\d{1,9}|\?) \[(?:\d{1,3}:)?\d{1,3}:\d\d<[^\]]{0,40}(?:s\/it|it\/s)/;
/** Bars of other work. */
const OTHER_BAR =
  /(?:load|fetch|download|map|token|group|pars|sav|shard|generat|eval|valid|test|predict|filter|conver|merg|cach|dataset|process|quantiz|captur|warm)\w{0,12}\b[^|]{0,60}:\s{0,3}\d{1,3}%/i;
/** "timer.py:193:stop] 130/5000, SamplesPerSec=": DeepSpeed counts its steps so. */
const DEEPSPEED_TIMER =
  /\] (?:epoch=\d{1,6}\/micro_step=\d{1,9}\/global_step=)?(\d{1,9})(?:\/\d{1,9})?, (?:RunningAvg)?SamplesPerSec=/;

/** Below "The actor died": "\tclass_name: ...", "\tactor_id: ...", "\tpid: 5226", "\tip: 10.0.0.9". */
const ACTOR = /^\s{1,8}(pid|ip): ([\d.]{1,15})\s*$/;
const RAY = /ray::[\w.<>:]{1,200}\(\) \(pid=(\d{1,8}), ip=([\d.]{7,15})/;

const MARKS = [
  /\bcheckpoint[-_](\d{1,9})\b/,
  /\bat (?:iteration|step)\s{1,12}(\d{1,9})\b/,
  /\b(?:global[ _]step|global_step)[ =:]{0,2}(\d{1,9})\b/,
  /\/iter_(\d{1,9})\b/,
  /\bstep[=_-]?(\d{1,9})(?=[-/.](?:last|ckpt|pt\b|safetensors|distcp|$)|\/)/,
];
const MARKING = /check ?point|resum|sav(?:e|ing)|load|restor|continu/i;

const MOST = 4_000;

export function createSetting(): Setting {
  const said = new Map<string, Said>();
  const workers: { pid: number; ip: string; line: Line }[] = [];
  let actor: { pid: number; line: Line } | null = null;
  let bars: { step: number; line: Line }[] = [];
  let marks: { step: number; line: Line }[] = [];

  /** Horovod lists who is missing below the words: "Missing ranks:" or "Stalled ranks:", "3: [gradient_17]". */
  let missing: { line: Line; ranks: number[]; next: number } | null = null;

  function lookForMissing(line: Line): void {
    if (line.text.includes("ranks:") && /(?:Missing|Stalled) ranks:\s*$/.test(line.text))
      missing = { line: short(line), ranks: [], next: line.line + 1 };
    else if (missing?.next === line.line && missing.line.source === line.source) {
      const rank = /(?:^|:)\s?(\d{1,6}): \[/.exec(line.raw)?.[1];
      if (rank === undefined || missing.ranks.length >= MOST) return;
      missing.ranks.push(Number(rank));
      missing.next += 1;
      said.set("suspect_ranks", { name: "suspect_ranks", value: missing.ranks, line: missing.line });
    }
  }

  function look(line: Line): void {
    lookForMissing(line);
    const text = line.text.length > 2_000 ? line.text.slice(0, 2_000) : line.text;
    if (/world|parallel|processes|rank/i.test(text) || /[MJS](?:EMBER|OB|ob[Ii]d|TEP|tepId)/.test(text)) {
      for (const { name, pattern, text: isText } of ONCE) {
        if (said.has(name)) continue;
        const value = pattern.exec(text)?.[1];
        if (value !== undefined && Number(value) > 0)
          said.set(name, { name, value: isText ? value : Number(value), line: short(line) });
      }
    }
    if (!said.has("framework")) {
      const own = FRAMEWORKS.find(({ holds, pattern }) => text.includes(holds) && pattern.test(text));
      if (own) said.set("framework", { name: "framework", value: own.framework, line: short(line) });
    }
    const ray = text.includes("ray::") ? RAY.exec(text) : null;
    if (ray && workers.length < MOST) workers.push({ pid: Number(ray[1]), ip: String(ray[2]), line: short(line) });
    const own = ACTOR.exec(text);
    if (own?.[1] === "pid") actor = { pid: Number(own[2]), line: short(line) };
    else if (own && actor?.line.source === line.source && line.line - actor.line.line < 6 && workers.length < MOST)
      workers.push({ pid: actor.pid, ip: String(own[2]), line: actor.line });
    // A bar may stand in front of a prefix.
    const raw = line.raw.length > 2_000 ? line.raw.slice(0, 2_000) : line.raw;
    if (raw.includes("/")) {
      const bar = OTHER_BAR.test(raw) ? undefined : (BAR.exec(raw) ?? DEEPSPEED_TIMER.exec(text));
      if (bar) bars = thinned(bars, { step: Number(bar[1]), line: short(line) });
    }
    if (MARKING.test(text)) {
      for (const pattern of MARKS) {
        const mark = pattern.exec(text)?.[1];
        if (mark === undefined) continue;
        marks = thinned(marks, { step: Number(mark), line: short(line) });
        break;
      }
    }
  }

  return { look, said: () => [...said.values()], workers: () => workers, bars: () => bars, marks: () => marks };
}

/** Of a long run the old ones become fewer. */
function thinned<T>(all: T[], one: T): T[] {
  all.push(one);
  return all.length > MOST ? all.filter((_, index) => index >= MOST / 2 || index % 2 === 0) : all;
}

function short(line: Line): Line {
  return line.raw.length <= 300 ? line : { ...line, raw: line.raw.slice(0, 300), text: line.text.slice(0, 300) };
}
