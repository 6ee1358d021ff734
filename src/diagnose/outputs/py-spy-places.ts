// Where a thread stands, by the names and files of its frames: a table of the places that training hangs in.

export const PLACES = [
  "collective",
  "cuda-sync",
  "checkpoint",
  "dataloader",
  "tokenizer",
  "compile",
  "gc",
  "optimizer",
  "forward",
  "storage",
  "idle",
  "unknown",
] as const;
export type Place = (typeof PLACES)[number];

export interface Frame {
  line: number;
  name: string;
  file: string;
  /** Null for native frames. */
  number: number | null;
}

/** What runs compiled code, and no compiler, though it lives in the same packages. */
const COMPILED =
  /[(/]torch\/(?:_dynamo\/(?:eval_frame|external_utils|utils)|_inductor\/(?:output_code|utils)|_functorch\/_aot_autograd\/(?:runtime_wrappers|utils))\.py|^(?:run|launcher|__call__) \(\S*torch\/_inductor\//;

/** Tried on "name (file)". The first frame from the inside that one of them knows tells the place. */
const KNOWN: readonly [Place, RegExp][] = [
  [
    "collective",
    /[(/]torch\/distributed\/(?:distributed_c10d|c10d_logger|_functional_collectives)\.py|[(/]torch\/cuda\/nccl\.py|[(/]deepspeed\/comm\/|[(/]p2p_communication\.py|[(/]deep_ep\/|\bProcessGroup|\bc10d::|^nccl[A-Z]|\(libnccl/,
  ],
  [
    "cuda-sync",
    /^synchronize \(|^(?:wait|query) \(\S*torch\/(?:cuda\/|accelerator\/)|^(?:item|tolist)\b|^cu(?:da)?[A-Z]\w{0,40}Synchronize|_local_scalar_dense|\bTHPVariable_item/,
  ],
  [
    "checkpoint",
    /[(/]torch\/serialization\.py|[(/]torch\/distributed\/checkpoint\/|[(/]safetensors\/|[(/]training\/checkpointing\.py|[(/]dist_checkpointing\/|[(/]checkpoint_engine\/|^_?(?:async_)?(?:save|load)_(?:\w{0,20}_)?(?:checkpoint|state_dict|pretrained)/,
  ],
  [
    "dataloader",
    /[(/]torch\/utils\/data\/|[(/]megatron\/(?:core\/datasets|legacy\/data|data)\/|[(/]datasets\/\w|[(/]webdataset\/|[(/]streaming\/base\/|[(/]nvidia\/dali\/|[(/]litdata\/|data_?loader\w{0,20}\.py/,
  ],
  [
    "tokenizer",
    /[(/](?:transformers\/tokenization_|tokenizers\/|sentencepiece\/|tiktoken\/)|tokeni[sz]\w{0,20}\.py|^_?(?:batch_)?tokeni[sz]e|^_?batch_encode/,
  ],
  [
    "compile",
    /[(/]torch\/(?:_dynamo|_inductor|_functorch|fx\/passes)\/|[(/]triton\/(?:compiler|backends)\/|[(/]triton\/runtime\/autotuner\.py|[(/]torch\/utils\/cpp_extension\.py/,
  ],
  ["gc", /^(?:gc_collect|_?collect_garbage|\w{0,20}garbage_collect|manual_gc|maybe_gc|run_gc|_?gc\b)/i],
  [
    "optimizer",
    /[(/]torch\/optim\/|[(/]megatron\/core\/optimizer\/|[(/]apex\/optimizers\/|[(/]deepspeed\/ops\/(?:adam|lamb|lion)\/|[(/]bitsandbytes\/optim\/|^_?(?:optimizer_)?step \(\S*(?:optim|zero\/)/,
  ],
  [
    "forward",
    /^_?forward(?:_step)?\b|^_(?:wrapped_)?call_impl\b|[(/]torch\/nn\/|[(/]transformer_engine\/|[(/]flash_attn/,
  ],
];
/** Everything reads and writes: only where no other place stands further out. */
const STORAGE =
  /^(?:open|read\w{0,10}|write\w{0,10}|flush|fsync|stat|listdir|scandir|exists|isfile)\b|[(/](?:fsspec|s3fs|gcsfs|boto3|botocore|s3transfer|ossfs|adlfs|smart_open|s3torchconnector|urllib3)\//;

/** `frames` from the innermost out. */
export function placeOf(frames: readonly Frame[], idle: boolean): { place: Place; frame: Frame | null } {
  let storage: Frame | null = null;
  for (const frame of frames) {
    const text = `${frame.name} (${frame.file})`;
    const known = COMPILED.test(text) ? undefined : KNOWN.find(([, pattern]) => pattern.test(text));
    if (known) return { place: known[0], frame };
    if (!storage && STORAGE.test(text)) storage = frame;
  }
  if (storage) return { place: "storage", frame: storage };
  return { place: idle ? "idle" : "unknown", frame: null };
}
