// DeepSpeed's configuration: the JSON file, or what the engine prints of it when it starts.
//   "zero_optimization": {"stage": 2, "reduce_bucket_size": 5e8}
//   [2024-03-04 12:09:53,743] [INFO] [config.py:1000:print]   zero_optimization_stage ...... 3
import { ignoredKeys, numberAt, type Settings, settingAt, settingsOf } from "./deepspeed-settings.ts";
import { launchesOf } from "./launch.ts";
import { keysAt, valueAt } from "./loose-json.ts";
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { createFacts, digits, said, some, someZh } from "./said.ts";

/** DeepSpeed's own, and whatever torch.optim.lr_scheduler has: names that end in LR and a few more. */
const SCHEDULERS =
  /^(?:LRRangeTest|OneCycle|WarmupLR|WarmupDecayLR|WarmupCosineLR|(?:Lambda|Multiplicative|Step|MultiStep|Constant|Linear|Exponential|Sequential|CosineAnnealing|Chained|Polynomial|Cyclic|OneCycle)(?:LR|Scheduler)|ReduceLROnPlateau|CosineAnnealingWarmRestarts)$/;
const PIPELINE =
  /ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism|pipeline[- ]model[- ]parallel[- ]size:? (?<pp>\d{1,4})|--pipe(?:line)?-?(?:model-)?parallel-size[= ](?<flag>\d{1,4})/;
const ZERO3_MOE = /MoE (?:is )?not supported with (?:ZeRO )?Stage 3/i;

export const deepspeedConfig: OutputReader = {
  id: "deepspeed-config",
  command: "cat ds_config.json",
  owns: (line) => /\b(?:ds|deepspeed|zero)[\w-]{0,40}\.json\b/i.test(line),
  knows: (text) => settingsOf(text)?.lines ?? [],
  read,
};

function read(text: OutputText): ToolReading {
  const settings = settingsOf(text);
  if (!settings) throw new Error("called without a configuration");
  const { json, lines } = settings;
  const facts = createFacts();
  facts.addHost(text);
  const train = numberAt(settings, "train_batch_size", "train_batch_size");
  const micro = numberAt(settings, "train_micro_batch_size_per_gpu", "train_micro_batch_size_per_gpu");
  const accum = numberAt(settings, "gradient_accumulation_steps", "gradient_accumulation_steps");
  const stage = stageOf(settings);
  facts.add("zero_stage", stage?.value, stage ? [stage.line] : []);
  facts.add("micro_batch", micro?.value, micro ? [micro.line] : []);
  facts.add("grad_accum", accum?.value, accum ? [accum.line] : []);
  facts.add("train_batch", train?.value, train ? [train.line] : []);
  const implied = train && micro && accum ? train.value / (micro.value * accum.value) : null;
  const batch = [train, micro, accum].flatMap((one) => one?.line ?? []);
  facts.add("dp_implied", implied, batch);
  const world = settings.world ?? launchedWorld(text);
  if (implied !== null && world) facts.add("batch_ok", implied === world.value, [...batch, world.line]);
  const precision = precisionOf(settings);
  facts.add("precision", precision?.value, precision ? [precision.line] : []);
  const clipping = numberAt(settings, "gradient_clipping", "gradient_clipping");
  facts.add("gradient_clipping", clipping?.value, clipping ? [clipping.line] : []);
  const offload = offloadOf(settings);
  facts.add("offload", offload?.value, offload ? [offload.line] : []);
  const bucket = json ? valueAt(json, "zero_optimization", "reduce_bucket_size") : null;
  if (typeof bucket?.value === "number") facts.add("reduce_bucket_elems", bucket.value, [bucket.line]);
  const ignored = ignoredKeys(settings);
  if (json) facts.add("ignored_keys", ignored, json.lines);
  const faults = faultsOf({
    settings,
    implied,
    world: world?.value ?? null,
    stage: stage?.value ?? null,
    clipping: clipping?.value ?? null,
  });
  facts.add(
    "config_faults",
    faults.map(({ id }) => id),
    lines,
  );
  const finding = sayConfig({
    faults,
    ignored,
    implied,
    train: train?.value ?? null,
    micro: micro?.value ?? null,
    accum: accum?.value ?? null,
    stage: stage?.value ?? null,
    precision: precision?.value ?? null,
  });
  if (json ? json.whole : settings.rows.has("zero_enabled") || settings.rows.has("zero_optimization_stage"))
    return { status: "read", finding, facts: facts.facts };
  return {
    status: "partial",
    finding,
    facts: facts.facts,
    problems: [{ line: lines.at(-1) ?? 1, say: "the configuration is cut; paste the whole file" }],
  };
}

interface At<T> {
  value: T;
  line: number;
}

/** Without zero_optimization the stage is 0; the first versions had a yes or no in its place. */
function stageOf(settings: Settings): At<number> | null {
  const given = numberAt(settings, "zero_optimization_stage", "zero_optimization", "stage");
  if (given || !settings.json) return given;
  const old = valueAt(settings.json, "zero_optimization");
  if (typeof old?.value === "boolean") return { value: old.value ? 1 : 0, line: old.line };
  return settings.json.whole ? { value: 0, line: old?.line ?? settings.json.lines[0] ?? 1 } : null;
}

/** True and false as set, null where it is left to the caller ("auto") or not shown. */
function isOn(settings: Settings, kind: "bf16" | "fp16"): At<boolean> | null {
  const row = kind === "bf16" ? "bfloat16" : "fp16";
  const printed =
    settings.rows.get(`${row}_enabled`) ?? settings.rows.get(kind === "bf16" ? "bfloat16_config" : "float16_config");
  if (printed)
    return { value: printed.value === true || /\benabled=True\b/.test(String(printed.value)), line: printed.line };
  const { json } = settings;
  if (!json) return null;
  const block = kind === "bf16" ? (valueAt(json, "bf16") ?? valueAt(json, "bfloat16")) : valueAt(json, "fp16");
  const enabled = valueAt(json, kind, "enabled") ?? (kind === "bf16" ? valueAt(json, "bfloat16", "enabled") : null);
  if (enabled) return typeof enabled.value === "boolean" ? { value: enabled.value, line: enabled.line } : null;
  return json.whole ? { value: false, line: block?.line ?? json.lines[0] ?? 1 } : null;
}

function precisionOf(settings: Settings): At<"bf16" | "fp16" | "both" | "fp32"> | null {
  const [bf16, fp16] = [isOn(settings, "bf16"), isOn(settings, "fp16")];
  if (bf16?.value && fp16?.value) return { value: "both", line: bf16.line };
  if (bf16?.value) return { value: "bf16", line: bf16.line };
  if (fp16?.value) return { value: "fp16", line: fp16.line };
  const other =
    settings.json && (valueAt(settings.json, "amp", "enabled") ?? valueAt(settings.json, "torch_autocast", "enabled"));
  return bf16 && fp16 && other?.value !== true ? { value: "fp32", line: bf16.line } : null;
}

/** The slowest device that anything is moved to. */
function offloadOf({ json, rows }: Settings): At<"none" | "cpu" | "nvme"> | null {
  const printed = rows.get("zero_config");
  const devices = (String(printed?.value ?? "").match(/device=\S{0,40}?(?:cpu|nvme)/g) ?? []).map((one) => ({
    value: /nvme/.test(one) ? "nvme" : "cpu",
    line: printed?.line ?? 1,
  }));
  const set = json
    ? ["offload_optimizer", "offload_param"].flatMap((part) => valueAt(json, "zero_optimization", part, "device") ?? [])
    : [];
  const old = json
    ? ["cpu_offload", "cpu_offload_params"].flatMap((part) => valueAt(json, "zero_optimization", part) ?? [])
    : [];
  const all = [
    ...devices,
    ...set,
    ...old.filter(({ value }) => value === true).map(({ line }) => ({ value: "cpu", line })),
  ];
  for (const device of ["nvme", "cpu"] as const) {
    const found = all.find(({ value }) => value === device);
    if (found) return { value: device, line: found.line };
  }
  if (json?.whole) return { value: "none", line: valueAt(json, "zero_optimization")?.line ?? json.lines[0] ?? 1 };
  return printed && typeof printed.value === "string" && printed.value.includes("=")
    ? { value: "none", line: printed.line }
    : null;
}

/** Ranks that share the batch, by a launch line in the same paste. */
function launchedWorld(text: OutputText): At<number> | null {
  const launch = launchesOf(text).find(({ world }) => world !== null);
  if (!launch?.world) return null;
  const { tp, pp, cp } = launch.layout;
  const shared = launch.world / ((tp ?? 1) * (pp ?? 1) * (cp ?? 1));
  return Number.isInteger(shared) ? { value: shared, line: launch.command.lines[0] ?? 1 } : null;
}

interface Fault {
  id: "batch-identity" | "fp16-and-bf16" | "zero-pp" | "zero3-moe" | "unknown-scheduler" | "no-clipping";
  en: string;
  zh: string;
}

interface Judged {
  settings: Settings;
  implied: number | null;
  world: number | null;
  stage: number | null;
  clipping: number | null;
}

function faultsOf({ settings, implied, world, stage, clipping }: Judged): Fault[] {
  const { json, rows, text } = settings;
  const faults: Fault[] = [];
  const add = (id: Fault["id"], en: string, zh: string): void => void faults.push({ id, en, zh });
  const unequal = implied !== null && (!Number.isInteger(implied) || (world !== null && implied !== world));
  if (unequal) {
    const has = world === null ? "no number of ranks fits" : `there are ${world}`;
    add(
      "batch-identity",
      `the batch sizes need ${digits(implied)} data-parallel ranks, ${has}`,
      world === null
        ? `batch 设置需要 ${digits(implied)} 个数据并行 rank，没有能满足的 rank 数`
        : `batch 设置需要 ${digits(implied)} 个数据并行 rank，实际为 ${world}`,
    );
  } else if (settings.assertion)
    add("batch-identity", "DeepSpeed stopped at its check of the batch sizes", "DeepSpeed 的 batch 检查未通过");
  const flags = launchesOf(text).map(({ script }) => script);
  const [bf16, fp16] = [isOn(settings, "bf16")?.value === true, isOn(settings, "fp16")?.value === true];
  const contradicted = flags.some((script) => (fp16 && script.has("bf16")) || (bf16 && script.has("fp16")));
  if (bf16 && fp16) add("fp16-and-bf16", "fp16 and bf16 are both enabled", "fp16 与 bf16 同时开启");
  else if (contradicted)
    add(
      "fp16-and-bf16",
      `${fp16 ? "fp16" : "bf16"} here, but --${fp16 ? "bf16" : "fp16"} on the launch line`,
      `此处为 ${fp16 ? "fp16" : "bf16"}，启动命令却是 --${fp16 ? "bf16" : "fp16"}`,
    );
  if (stage !== null && stage >= 2 && hasPipeline(settings))
    add("zero-pp", `ZeRO ${stage} with pipeline parallelism`, `ZeRO ${stage} 与流水线并行同用`);
  const moe = json && keysAt(json).includes("moe") && valueAt(json, "moe", "enabled")?.value !== false;
  if (stage === 3 && (moe || text.lines.some((line) => ZERO3_MOE.test(line.text))))
    add("zero3-moe", "ZeRO 3 with DeepSpeed's own MoE", "ZeRO 3 与 DeepSpeed 自带 MoE 同用");
  const scheduler = settingAt(settings, "scheduler_name", "scheduler", "type")?.value;
  if (typeof scheduler === "string" && scheduler !== "auto" && !SCHEDULERS.test(scheduler)) {
    const name = scheduler.replace(/[^\w.-]/g, "").slice(0, 40);
    add("unknown-scheduler", `there is no scheduler ${name}`, `没有名为 ${name} 的 scheduler`);
  }
  const shown = json?.whole || rows.has("gradient_clipping");
  const given = settingAt(settings, "gradient_clipping", "gradient_clipping")?.value;
  const byOptimizer = json ? valueAt(json, "optimizer", "params", "max_grad_norm")?.value : null;
  if (shown && (given === undefined || clipping === 0) && !(typeof byOptimizer === "number" && byOptimizer > 0))
    add("no-clipping", "gradient clipping is not set", "没有设置梯度裁剪");
  return faults;
}

/** The dump always shows a `pipeline` with its defaults; only a number of stages says that it is used. */
function hasPipeline({ json, text }: Settings): boolean {
  const stages = json
    ? (valueAt(json, "pipeline", "stages")?.value ??
      valueAt(json, "pipeline_model_parallel_size")?.value ??
      valueAt(json, "pipe_parallel_size")?.value)
    : null;
  if (typeof stages === "number" && stages > 1) return true;
  if (launchesOf(text).some(({ layout }) => (layout.pp ?? 1) > 1)) return true;
  return text.lines.some(({ text: row }) => {
    const found = PIPELINE.exec(row);
    const size = found?.groups?.pp ?? found?.groups?.flag;
    return found !== null && (size === undefined || Number(size) > 1);
  });
}

interface Sayings {
  faults: readonly Fault[];
  ignored: readonly string[];
  implied: number | null;
  train: number | null;
  micro: number | null;
  accum: number | null;
  stage: number | null;
  precision: string | null;
}

function sayConfig({ faults, ignored, implied, train, micro, accum, stage, precision }: Sayings) {
  const needs =
    implied === null
      ? []
      : [`train_batch_size ${train} needs ${digits(implied)} data-parallel ranks (${micro} x ${accum} x dp)`];
  const needsZh =
    implied === null
      ? []
      : [`train_batch_size ${train} 需要 ${digits(implied)} 个数据并行 rank（${micro} x ${accum} x dp）`];
  const types = precision === "both" ? "fp16 + bf16" : precision;
  const what = [stage === null ? [] : [`ZeRO ${stage}`], types ?? []].flat();
  const others = faults.filter(({ id }) => id !== "batch-identity" || implied === null);
  const identity = faults.find(({ id }) => id === "batch-identity");
  const has = identity && implied !== null ? [identity.en.split(", ").at(-1) ?? ""] : [];
  const hasZh = identity && implied !== null ? [identity.zh.split("，").at(-1) ?? ""] : [];
  const none = faults.length === 0 ? ["no contradiction found"] : [];
  const noneZh = faults.length === 0 ? ["未发现矛盾"] : [];
  const en = [
    ...needs,
    ...has,
    ...others.map((fault) => fault.en),
    ...none,
    ...(ignored.length > 0 ? [`ignored: ${some(ignored)}`] : []),
  ];
  const zh = [
    ...needsZh,
    ...hasZh,
    ...others.map((fault) => fault.zh),
    ...noneZh,
    ...(ignored.length > 0 ? [`被忽略：${someZh(ignored)}`] : []),
  ];
  const [head, headZh] = what.length > 0 ? [`${what.join(", ")}: `, `${what.join("，")}：`] : ["", ""];
  return said(`${head}${en.join("; ")}.`, `${headZh}${zh.join("；")}。`);
}
