// DeepSpeed's settings out of a paste: from the JSON, and from the lines the engine prints at start-up, which are in force.
import { type JsonBlock, type JsonValue, jsonBlocks, keysAt, valueAt } from "./loose-json.ts";
import type { OutputText } from "./output-text.ts";

/** Every key that DeepSpeed reads at the top (runtime/config.py and the parts it calls, 0.3 to 0.19). */
const KNOWN_KEYS = new Set(
  `train_batch_size train_micro_batch_size_per_gpu gradient_accumulation_steps managed_gradient_accumulation optimizer scheduler
  fp16 bf16 bfloat16 amp torch_autocast data_types communication_data_type seq_parallel_communication_data_type fp32_allreduce
  gradient_clipping prescale_gradients gradient_predivide_factor gradient_allreduce_op sparse_gradients disable_allgather
  zero_optimization zero_allow_untested_optimizer zero_force_ds_cpu_optimizer allgather_size steps_per_print wall_clock_breakdown
  memory_breakdown dump_state log_level activation_checkpointing sparse_attention pipeline progressive_layer_drop
  curriculum_learning data_efficiency checkpoint dataloader_drop_last aio nebula datastates_checkpointing datastates_ckpt
  compression_training weight_quantization quantize_training eigenvalue flops_profiler autotuning elasticity comms_logger
  tensorboard wandb comet csv_monitor monitor_config compile timers tensor_parallel expert_parallel hybrid_engine
  sequence_parallel_size data_parallel_size use_data_before_expert_parallelism graph_harvesting vocabulary_size
  max_train_batch_size zenflow train_steps`.split(/\s+/),
);
/** One of these makes a JSON object DeepSpeed's. */
const OWN_KEYS = /^(?:zero_optimization|train_micro_batch_size_per_gpu|zero_allow_untested_optimizer|steps_per_print)$/;
const HOLDS =
  /["'](?:zero_optimization|train_micro_batch_size_per_gpu|train_batch_size|steps_per_print|zero_allow_untested_optimizer)["']/;
const ROW = /\[config\.py:\d{1,5}:print\w*\]\s+(?<name>[a-z]\w{1,60}) (?:\.{1,29} | )?(?<value>\S.{0,4000})$/;
const HEAD = /(?:DeepSpeed\w* configuration:|\[config\.py:\d{1,5}:print\w*\])/;
export const BATCH_ASSERTION =
  /train_batch_size is not equal to micro_batch_per_gpu \* gradient_acc_step \* world_size\s*(?<train>\d{1,9}) != (?<micro>\d{1,9}) \* (?<accum>\d{1,9}) \* (?<world>\d{1,9})/;
const WORLD =
  /\bworld[_ -]size\b ?(?:is|of|=|:|\.{2,30})? {0,3}(?<world>\d{1,7})\b(?! *!=)|\bWORLD_SIZE=(?<env>\d{1,7})\b/i;
const DP = /data-parallel[- ]size: (?<dp>\d{1,7})/;

export interface Settings {
  json: JsonBlock | null;
  rows: Map<string, JsonValue>;
  lines: number[];
  /** Ranks that share the batch, where the paste says how many. */
  world: { value: number; line: number } | null;
  assertion: { line: number } | null;
  text: OutputText;
}

export function settingsOf(text: OutputText): Settings | null {
  const rows = new Map<string, JsonValue>();
  const printed: number[] = [];
  for (const { text: row, line } of text.lines) {
    if (!HEAD.test(row)) continue;
    printed.push(line);
    const { name, value = "" } = ROW.exec(row)?.groups ?? {};
    if (name && name !== "json" && !rows.has(name)) rows.set(name, { value: toValue(value), line });
  }
  const json = jsonBlocks(text, HOLDS).find(isDeepSpeed) ?? null;
  if (!json && rows.size < 2) return null;
  const asserted = text.lines.find((line) => BATCH_ASSERTION.test(line.text));
  const lines = [...new Set([...printed, ...(json?.lines ?? []), ...(asserted ? [asserted.line] : [])])];
  return { json, rows, lines, world: worldOf(text), assertion: asserted ? { line: asserted.line } : null, text };
}

function isDeepSpeed(block: JsonBlock): boolean {
  const keys = keysAt(block).filter((key) => KNOWN_KEYS.has(key));
  return keys.length >= 2 && (keys.some((key) => OWN_KEYS.test(key)) || keys.length >= 4);
}

/** The first that is given: a row that the engine printed, then the JSON. */
export function settingAt({ json, rows }: Settings, row: string, ...path: string[]): JsonValue | null {
  return rows.get(row) ?? (json && path.length > 0 ? valueAt(json, ...path) : null);
}

export function numberAt(settings: Settings, row: string, ...path: string[]): { value: number; line: number } | null {
  const found = settingAt(settings, row, ...path);
  return typeof found?.value === "number" ? { value: found.value, line: found.line } : null;
}

/** Keys of the JSON that change nothing; names like "_comment" are meant to. */
export function ignoredKeys({ json }: Settings): string[] {
  if (!json) return [];
  const top = keysAt(json).filter((key) => !KNOWN_KEYS.has(key) && /^(?!_|comment)[\w.-]{1,60}$/i.test(key));
  const checkpoint = keysAt(json, "checkpoint").filter((key) => /^(?:load|save|tag)$/.test(key));
  return [...top, ...checkpoint.map((key) => `checkpoint.${key}`)];
}

/** True, 3, 5e8, 'cpu', None: as Python prints them. */
function toValue(printed: string): unknown {
  const value = printed.trim();
  if (value === "True" || value === "False") return value === "True";
  if (value === "None") return null;
  return /^-?[\d.]+(?:[eE][-+]?\d+)?$/.test(value) ? Number(value) : value.replace(/^'|'$/g, "");
}

/** DeepSpeed's own count first: with tensor or pipeline parallelism it is not the number of all ranks. */
function worldOf({ lines }: OutputText): Settings["world"] {
  const patterns = [BATCH_ASSERTION, DP, WORLD];
  for (const pattern of patterns) {
    for (const { text, line } of lines) {
      const found = pattern.exec(text)?.groups;
      const value = found?.world ?? found?.dp ?? found?.env;
      if (value !== undefined) return { value: Number(value), line };
    }
  }
  return null;
}
