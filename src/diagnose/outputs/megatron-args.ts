// The arguments that Megatron-LM prints when it starts: the layout, the batch, the router.
//   using world size: 64, data-parallel size: 32, context-parallel size: 1, ..
//   ------------------------ arguments ------------------------
//     tensor_model_parallel_size ...................... 1
import type { OutputReader, ReadProblem, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, digits, said } from "./said.ts";

const ROW = /(?:^|\s)(?<name>[A-Za-z]\w{1,60}) \.{2,47} (?<value>\S.{0,2000})$/;
/** DeepSpeed's dump looks alike, and GPT-NeoX's says behind each value where it comes from. */
const OTHER = /config\.py:\d+:print|\.{3}(?:default|updated)$/;
const HEAD = /-{8} arguments -{8}/;
const END = /-{8} end of arguments -{8}/;
const SIZES = /using world size: \d/;
/** The line above the dump, which older versions write with other dashes. */
const SIZE =
  /(?<name>world|data-parallel|(?<!hierarchical )context-parallel|(?<!encoder-)tensor-model-parallel|(?<!encoder-)pipeline-model-parallel)[- ]size: (?<value>\d{1,7})/g;
const SIZE_NAMES: Readonly<Record<string, string>> = {
  world: "world_size",
  "data-parallel": "data_parallel_size",
  "context-parallel": "context_parallel_size",
  "tensor-model-parallel": "tensor_model_parallel_size",
  "pipeline-model-parallel": "pipeline_model_parallel_size",
};
const DTYPE = /using torch\.(?<dtype>\w{1,20}) for parameters/;
/** So many dotted lines make a dump, where its first or last line stands or so many of them bear Megatron's own names. */
const ROWS = 5;
const OWN_ROWS = 3;
const OWN =
  /^(?:(?:tensor|pipeline|expert|context)_(?:model_)?parallel_size|micro_batch_size|global_batch_size|num_layers|hidden_size|num_attention_heads|ffn_hidden_size|num_experts|moe_\w+|recompute_\w+|use_distributed_optimizer|sequence_parallel|seq_length|train_iters|clip_grad|lr_decay_style|ckpt_format|distributed_backend|tokenizer_type|adam_beta[12])$/;

interface Argument {
  value: string;
  line: number;
}

interface Dump {
  args: Map<string, Argument>;
  lines: number[];
  rows: number;
  /** Its first or last line is there. */
  framed: boolean;
  /** Both are. */
  whole: boolean;
}

export const megatronArgs: OutputReader = {
  id: "megatron-args",
  command: "the arguments that Megatron-LM prints when it starts",
  owns: () => false,
  knows: (text) => {
    const { args, lines, rows, framed } = dumpOf(text);
    const own = [...args.keys()].filter((name) => OWN.test(name)).length;
    return rows >= ROWS && (framed || own >= OWN_ROWS) ? lines : [];
  },
  read,
};

/** The first value of a name counts: later ranks and restarts print the same. */
function dumpOf({ lines }: OutputText): Dump {
  const dump: Dump = { args: new Map(), lines: [], rows: 0, framed: false, whole: false };
  let begun = false;
  for (const { text, line, command } of lines) {
    if (command) continue;
    const row = OTHER.test(text) ? undefined : ROW.exec(text)?.groups;
    const sizes = SIZES.test(text);
    const dtype = DTYPE.exec(text)?.groups?.dtype;
    const [head, end] = [HEAD.test(text), END.test(text)];
    if (!row && !sizes && !dtype && !head && !end) continue;
    dump.lines.push(line);
    if (head) begun = true;
    if (head || end) dump.framed = true;
    if (row) dump.rows++;
    if (end && begun) dump.whole = true;
    const add = (name: string, value = ""): void => {
      if (!dump.args.has(name)) dump.args.set(name, { value: value.trim(), line });
    };
    if (row) add(row.name ?? "", row.value);
    for (const { groups } of sizes ? text.matchAll(SIZE) : []) add(SIZE_NAMES[groups?.name ?? ""] ?? "", groups?.value);
    if (dtype) add("params_dtype", `torch.${dtype}`);
  }
  return dump;
}

/** Facts that are one number above zero, with the names that versions gave them. */
const COUNTS: readonly [string, ...string[]][] = [
  ["world_size", "world_size"],
  ["tp", "tensor_model_parallel_size", "model_parallel_size"],
  ["pp", "pipeline_model_parallel_size"],
  ["cp", "context_parallel_size"],
  ["ep", "expert_model_parallel_size"],
  ["dp", "data_parallel_size"],
  ["micro_batch", "micro_batch_size"],
  ["global_batch", "global_batch_size"],
  ["seq_length", "seq_length"],
  ["num_experts", "num_experts"],
];
const NUMBERS = ["moe_aux_loss_coeff", "clip_grad"] as const;

function read(text: OutputText): ToolReading {
  const dump = dumpOf(text);
  const { args, lines, whole } = dump;
  const facts = createFacts();
  facts.addHost(text);
  for (const [fact, ...names] of COUNTS) {
    const arg = names.map((name) => args.get(name)).find(Boolean);
    if (arg) facts.add(fact, countOf(arg.value), [arg.line]);
  }
  for (const name of NUMBERS) {
    const arg = args.get(name);
    if (arg) facts.add(name, numberOf(arg.value), [arg.line]);
  }
  const granularity = args.get("recompute_granularity");
  if (granularity && granularity.value !== "None")
    facts.add("recompute_granularity", granularity.value, [granularity.line]);
  const parallel = args.get("sequence_parallel");
  if (parallel) facts.add("sequence_parallel", parallel.value === "True", [parallel.line]);
  const precision = precisionOf(args);
  if (precision) facts.add("precision", precision.value, [precision.line]);
  const faults = faultsOf(dump);
  const at = faults.flatMap((fault) => fault.lines);
  facts.add(
    "args_faults",
    faults.map(({ id }) => id),
    at.length > 0 ? at : lines,
  );
  const finding = sayArgs(faults, args);
  if (whole) return { status: "read", finding, facts: facts.facts };
  const problems: ReadProblem[] = [
    { line: lines.at(-1) ?? 1, say: "the dump is cut; paste it from '- arguments -' to '- end of arguments -'" },
  ];
  return { status: "partial", finding, facts: facts.facts, problems };
}

/** "64", "[64]", "1e-2"; a list of equal numbers is that number. */
function numberOf(value: string): number | null {
  const numbers = value
    .replace(/^\[|\]$/g, "")
    .split(",")
    .map((one) => (one.trim() === "" ? Number.NaN : Number(one)));
  const [first] = numbers;
  return first !== undefined && numbers.every((one) => one === first) ? first : null;
}

function countOf(value: string): number | null {
  const number = numberOf(value);
  return number !== null && Number.isInteger(number) && number > 0 ? number : null;
}

function precisionOf(args: Dump["args"]): Argument | null {
  const [bf16, fp16, dtype] = ["bf16", "fp16", "params_dtype"].map((name) => args.get(name));
  if (bf16?.value === "True") return { value: fp16?.value === "True" ? "both" : "bf16", line: bf16.line };
  if (fp16?.value === "True") return { value: "fp16", line: fp16.line };
  if (bf16 && fp16) return { value: "fp32", line: bf16.line };
  const value = { "torch.bfloat16": "bf16", "torch.float16": "fp16", "torch.half": "fp16", "torch.float32": "fp32" }[
    dtype?.value ?? ""
  ];
  return dtype && value ? { value, line: dtype.line } : null;
}

interface Fault {
  id: "moe-not-balanced" | "ep-tp-without-sp" | "batch-identity" | "layout-not-divisible";
  en: string;
  zh: string;
  lines: number[];
}

/** What the arguments contradict; an argument that is not shown contradicts nothing. */
function faultsOf({ args, whole }: Dump): Fault[] {
  const number = (name: string): number | null => countOf(args.get(name)?.value ?? "");
  const linesOf = (...names: string[]): number[] => names.flatMap((name) => args.get(name)?.line ?? []);
  const [world, tp, pp, ep] = [
    "world_size",
    "tensor_model_parallel_size",
    "pipeline_model_parallel_size",
    "expert_model_parallel_size",
  ].map(number);
  const [cp, etp] = [number("context_parallel_size") ?? 1, number("expert_tensor_parallel_size") ?? tp];
  const [micro, batch, dp] = [number("micro_batch_size"), number("global_batch_size"), number("data_parallel_size")];
  const faults: Fault[] = [];
  const experts = number("num_experts");
  if (experts !== null && experts > 1 && isUnbalanced(args, whole)) {
    const off = isTypeNone(args) ? "load balancing type none" : "aux coefficient 0.0";
    const offZh = isTypeNone(args) ? "均衡类型为 none" : "均衡系数 0.0";
    faults.push({
      id: "moe-not-balanced",
      en: `${experts} experts, ${off} and no expert bias: nothing balances the router`,
      zh: `${experts} 个专家，${offZh} 且无 expert bias：路由没有任何均衡`,
      lines: linesOf(
        "num_experts",
        "moe_aux_loss_coeff",
        "moe_router_enable_expert_bias",
        "moe_router_load_balancing_type",
      ),
    });
  }
  if (tp && ep && tp > 1 && ep > 1 && args.get("sequence_parallel")?.value === "False") {
    faults.push({
      id: "ep-tp-without-sp",
      en: `tp ${tp} with ep ${ep}, but sequence_parallel is off`,
      zh: `tp ${tp} 与 ep ${ep} 同用，但 sequence_parallel 未开`,
      lines: linesOf("tensor_model_parallel_size", "expert_model_parallel_size", "sequence_parallel"),
    });
  }
  if (micro && batch && dp && batch % (micro * dp) !== 0) {
    faults.push({
      id: "batch-identity",
      en: `global batch ${batch} is no multiple of micro batch ${micro} x dp ${dp}`,
      zh: `global batch ${batch} 不是 micro batch ${micro} x dp ${dp} 的整数倍`,
      lines: linesOf("global_batch_size", "micro_batch_size", "data_parallel_size"),
    });
  }
  const dense = tp && pp ? tp * pp * cp : null;
  const expert = etp && ep && pp && ep > 1 ? etp * ep * pp : null;
  if (world && ((dense && world % dense !== 0) || (expert && world % expert !== 0))) {
    const product = dense && world % dense !== 0 ? `tp x pp x cp = ${dense}` : `etp x ep x pp = ${expert}`;
    faults.push({
      id: "layout-not-divisible",
      en: `world size ${world} is no multiple of ${product}`,
      zh: `world size ${world} 不是 ${product} 的整数倍`,
      lines: linesOf(
        "world_size",
        "tensor_model_parallel_size",
        "pipeline_model_parallel_size",
        "context_parallel_size",
        "expert_model_parallel_size",
      ),
    });
  }
  return faults;
}

/** Sinkhorn and a sequential router need no coefficient; where an argument is not shown in a cut dump, nothing is known. */
function isUnbalanced(args: Dump["args"], whole: boolean): boolean {
  const coefficients = args.get("moe_aux_loss_coeff")?.value.match(/[\d.]+(?:[eE][-+]?\d+)?/g);
  const bias = args.get("moe_router_enable_expert_bias")?.value;
  const type = args.get("moe_router_load_balancing_type")?.value ?? "";
  if (type.includes("sinkhorn") || bias === "True" || (bias === undefined && !whole)) return false;
  if (isTypeNone(args)) return true;
  return coefficients?.every((one) => Number(one) === 0) ?? false;
}

function isTypeNone(args: Dump["args"]): boolean {
  return /^\[?'?none'?\]?$/.test(args.get("moe_router_load_balancing_type")?.value ?? "");
}

function sayArgs(faults: readonly Fault[], args: Dump["args"]) {
  if (faults.length > 0)
    return said(`${faults.map(({ en }) => en).join("; ")}.`, `${faults.map(({ zh }) => zh).join("；")}。`);
  const shown = [
    ["tp", "tensor_model_parallel_size"],
    ["pp", "pipeline_model_parallel_size"],
    ["cp", "context_parallel_size"],
    ["ep", "expert_model_parallel_size"],
    ["dp", "data_parallel_size"],
    ["experts", "num_experts"],
    ["global batch", "global_batch_size"],
  ].flatMap(([word, name = ""]) => {
    const number = countOf(args.get(name)?.value ?? "");
    return number === null ? [] : [`${word} ${digits(number)}`];
  });
  const world = countOf(args.get("world_size")?.value ?? "");
  const ranks = world === null ? "" : `${count(world, "rank")}, `;
  const ranksZh = world === null ? "" : `${world} 个 rank，`;
  return said(
    `${args.size} arguments read, no contradiction found (${ranks}${shown.join(", ")}).`,
    `读到 ${args.size} 个参数，未发现矛盾（${ranksZh}${shown.join("，")}）。`,
  );
}
