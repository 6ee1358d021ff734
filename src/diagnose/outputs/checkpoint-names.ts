// The names of checkpoint files: which framework's they are, what they hold, and which rank or number they stand for.
// Sources: Megatron-LM megatron/training/checkpointing.py, DeepSpeed runtime/engine.py, torch distributed/checkpoint/filesystem.py.
import { baseOf, type ListedFile } from "./file-listing.ts";

export type CheckpointFormat = "megatron-dist" | "megatron-legacy" | "deepspeed" | "dcp" | "safetensors" | "hf-trainer";

/** The numbers in a name, by what they count. */
export type Axis = "rank" | "part" | "dp" | "tp" | "pp" | "ep" | "n" | "of";

export interface CheckpointFile extends ListedFile {
  kind: string;
  /** Weights or optimizer state: what the checkpoint consists of. */
  data: boolean;
  /** Every combination of the numbers must be there. */
  grid: boolean;
  /** Files of its kind are of about one size. */
  even: boolean;
  numbers: Partial<Record<Axis, number>>;
  step: number | null;
  /** The name by which it is told from its siblings: with the folder where all folders hold the same names. */
  label: string;
}

interface Kind {
  kind: string;
  pattern: RegExp;
  data?: true;
  grid?: true;
  even?: true;
  /** The pattern looks at the folder too. */
  inFolder?: true;
}

const ALL = { data: true, grid: true, even: true } as const;
const KINDS: readonly Kind[] = [
  { kind: "distcp", pattern: /^__(?<rank>\d{1,6})_(?<part>\d{1,6})\.distcp$/, data: true, even: true },
  { kind: "metadata", pattern: /^\.metadata$/ },
  { kind: "megatron", pattern: /^(?:common\.pt|metadata\.json|integrity\.json|latest_checkpointed_iteration\.txt)$/ },
  {
    kind: "legacy",
    pattern: /(?:^|\/)mp_rank_(?<tp>\d{2,4})(?:_(?<pp>\d{3}))?(?:_(?<ep>\d{3}))?\/model_(?:optim_)?rng\.pt$/,
    ...ALL,
    inFolder: true,
  },
  {
    kind: "legacy-optim",
    pattern: /(?:^|\/)mp_rank_(?<tp>\d{2,4})(?:_(?<pp>\d{3}))?(?:_(?<ep>\d{3}))?\/(?:distrib_)?optim\.pt$/,
    ...ALL,
    inFolder: true,
  },
  { kind: "legacy", pattern: /^model_(?:optim_)?rng\.pt$/, data: true },
  { kind: "legacy-optim", pattern: /^distrib_optim\.pt$/, data: true },
  {
    kind: "ds-optim",
    pattern: /^(?:bf16_|fp16_)?zero_pp_rank_(?<dp>\d{1,6})_mp_rank_(?<tp>\d{2,4})(?:_\d{1,4})?_optim_states\.pt$/,
    ...ALL,
  },
  { kind: "ds-zero-model", pattern: /^zero_pp_rank_(?<dp>\d{1,6})_mp_rank_(?<tp>\d{2,4})_model_states\.pt$/, ...ALL },
  { kind: "ds-model", pattern: /^mp_rank_(?<tp>\d{2,4})_model_states\.pt$/, ...ALL },
  { kind: "ds-layer", pattern: /^layer_\d{1,4}-model_(?<tp>\d{2,4})-model_states\.pt$/, data: true },
  {
    kind: "ds-expert",
    pattern: /^layer_\d{1,4}_expert_\d{1,5}_mp_rank_(?<tp>\d{2,4})_model_states\.pt$/,
    data: true,
    even: true,
  },
  {
    kind: "ds-expert-optim",
    pattern: /^(?:bf16_|fp16_)?expp_rank_(?<ep>\d{1,5})_mp_rank_(?<tp>\d{2,4})_optim_states\.pt$/,
    ...ALL,
  },
  { kind: "ds", pattern: /^(?:latest|latest_universal|zero_to_fp32\.py)$/ },
  {
    kind: "safetensors",
    pattern: /^[\w.-]{0,80}?(?<n>\d{4,6})-of-(?<of>\d{4,6})\.safetensors$/,
    data: true,
    even: true,
  },
  { kind: "bin", pattern: /^[\w.-]{0,80}?(?<n>\d{4,6})-of-(?<of>\d{4,6})\.bin$/, data: true, even: true },
  { kind: "safetensors", pattern: /^[\w.-]{0,80}\.safetensors$/, data: true },
  { kind: "bin", pattern: /^(?:pytorch|adapter)_model\.bin$/, data: true },
  { kind: "index", pattern: /^[\w.-]{1,80}\.(?:safetensors|bin)\.index\.json$/ },
  { kind: "hf-rng", pattern: /^rng_state_(?<rank>\d{1,5})\.pth$/, even: true },
  { kind: "hf-optim", pattern: /^optimizer\.(?:pt|bin)$/, data: true },
  { kind: "hf", pattern: /^(?:trainer_state\.json|training_args\.bin|scheduler\.pt|scaler\.pt|rng_state\.pth)$/ },
  {
    kind: "folder",
    pattern: /^(?:iter_\d{7}|global_step_?\d{1,9}|checkpoint-\d{1,9}|mp_rank_\d{2,4}(?:_\d{3}){0,2})$/,
  },
  { kind: "folder", pattern: /^(?:step[-_]\d{1,9}|release|pytorch_model_fsdp_\d|optimizer_\d)$/ },
];
/** Names that other things bear too: they count only beside one of the rest. */
const COMMON = /^(?:latest|release|metadata\.json|common\.pt|optimizer\.(?:pt|bin)|scheduler\.pt|scaler\.pt)$/;

const STEP = /(?:^|[/_=-])(?:global_?step|iter|step|checkpoint|ckpt)[-_=]?0{0,9}(?<step>\d{1,9})(?=$|[/.]|[-_](?!\d))/g;

/** Every name holds one of these: most words of a log are turned away here. */
const HINT =
  /\.(?:distcp|metadata|pth?|safetensors|bin|json|txt|py)$|^(?:latest|iter_|global_step|checkpoint-|mp_rank_|step[-_]|release|pytorch_model|optimizer_)/;

/** Some line of every list of a checkpoint's files does, and few others do: the rest of the texts need no closer look. */
export function mentionsCheckpoint(row: string): boolean {
  return /\.(?:distcp|metadata|safetensors)|_states\.pt|mp_rank_|\d\.bin|pytorch_model|step|iter_|checkpoint|ckpt|trainer_state|training_args|rng_state|zero_to_fp32|adapter_/.test(
    row,
  );
}

/** Is this a name that a checkpoint's files or folders bear? */
export function isCheckpointName(name: string): boolean {
  return HINT.test(name) && KINDS.some(({ pattern, inFolder }) => !inFolder && pattern.test(name));
}

/** One that nothing else bears. */
export function isOwnName(name: string): boolean {
  return isCheckpointName(name) && !COMMON.test(name);
}

export function toCheckpointFile(file: ListedFile): CheckpointFile | null {
  const path = file.dir === "" ? file.name : `${file.dir}/${file.name}`;
  for (const { kind, pattern, inFolder, data = false, grid = false, even = false } of KINDS) {
    const found = pattern.exec(inFolder ? path : file.name);
    if (!found) continue;
    const numbers = Object.fromEntries(
      Object.entries(found.groups ?? {}).flatMap(([axis, digits]) =>
        digits === undefined ? [] : [[axis, Number(digits)]],
      ),
    );
    const label = inFolder ? `${baseOf(file.dir)}/${file.name}` : file.name;
    return { ...file, kind, data, grid, even, numbers, step: stepOf(path), label };
  }
  return null;
}

/** The last step that a path names: "run-3/checkpoint-500/global_step500" -> 500. */
export function stepOf(path: string): number | null {
  const found = [...path.matchAll(STEP)].at(-1)?.groups?.step;
  return found === undefined ? null : Number(found);
}

/** The same name with other numbers, padded as names of its kind are. */
export function renumbered({ label, name }: CheckpointFile, numbers: Partial<Record<Axis, number>>): string {
  const kind = KINDS.find(({ pattern, inFolder }) => pattern.test(inFolder ? label : name));
  const found = kind && new RegExp(kind.pattern.source, "d").exec(label);
  return Object.entries(found?.indices?.groups ?? {})
    .filter(([, place]) => place !== undefined)
    .sort(([, a], [, b]) => b[0] - a[0])
    .reduce((out, [axis, [from, to]]) => {
      const number = numbers[axis as Axis];
      const width = axis === "tp" ? 2 : axis === "n" || out[from] === "0" ? to - from : 1;
      return number === undefined ? out : out.slice(0, from) + String(number).padStart(width, "0") + out.slice(to);
    }, label);
}

export function formatOf(files: readonly CheckpointFile[]): CheckpointFormat | null {
  const has = (...kinds: string[]): boolean => files.some(({ kind }) => kinds.includes(kind));
  const path = files.map(({ dir, name }) => `${dir}/${name}`);
  if (has("distcp", "metadata")) {
    const megatron = has("megatron") || path.some((one) => /\/iter_\d{7}(?:\/|$)/.test(`/${one}`));
    return megatron ? "megatron-dist" : "dcp";
  }
  if (has("ds-optim", "ds-zero-model", "ds-model", "ds-layer", "ds-expert", "ds-expert-optim")) return "deepspeed";
  if (has("legacy", "legacy-optim")) return "megatron-legacy";
  if (has("hf", "hf-rng") || path.some((one) => /\/checkpoint-\d+(?:\/|$)/.test(`/${one}`))) return "hf-trainer";
  if (has("safetensors")) return "safetensors";
  if (has("megatron")) return "megatron-dist";
  return has("ds") ? "deepspeed" : null;
}
