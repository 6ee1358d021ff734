// Is an exception one of loading a checkpoint? Frameworks word it in hundreds of ways; where it was raised and what it
// speaks of are the same everywhere.
import type { Raised } from "./tracebacks.ts";

/** A kind of load error, as the checkpoint playbook names it; null where it cannot be told. */
export interface LoadError {
  subcause: string | null;
  /** The entry that is missing or does not fit. */
  param: string | null;
}

/** Types that say that what was read is not what was expected; a lost connection, a full disk or a missing package is no such thing. */
const TYPES =
  /^(?:Key|Value|Runtime|Assertion|Index|EOF|Unpickling|FileNotFound|InvalidArgument|NotFound|DataLoss)Error$|^(?:Checkpoint|Checkpointing|MisconfigurationException|ZeRORuntime|Safetensor)\w*$|^Exception$/;

/** Functions that read state: what is raised in one of them, and by nothing else, is a load error. */
const READING =
  /^_{0,2}(?:(?:re)?load_(?:\w*_)?(?:checkpoint|ckpt|state|state_dict|state_dicts|optim\w*|weights|base_checkpoint|from_checkpoint|sharded\w*|zero\w*)|load_\w*checkpoint\w*|load_\w*state_dict\w*|set_(?:model_|optimizer_)?state_dict|set_optimizer_state_dict|set_model_state_dict|restore_(?:checkpoint|model|weights|optimizers?\w*|states?|training_state|from)|create_(?:default_)?(?:local|global)(?:_load)?_plan|create_default_local_load_plan|flatten_sharded_optim\w*|optim_state_dict_to_load|get_reformulation_metadata|load_optimizer_and_scheduler|__setstate__)$/;
/** Functions by whose name alone it could as well be a configuration, a tokenizer or a model that is built. */
const MAYBE_READING = /^_{0,2}(?:load\w*|\w*_?restore\w*|resume\w*|from_pretrained|from_checkpoint|read_metadata)$/;
const LIBRARY =
  /distributed\/_?(?:_shard\/)?checkpoint\/|dist_checkpointing\/|fsdp\/_?\w*state_dict\w*|fsdp\/_optim_utils|deepspeed\/checkpoint\/|orbax\/checkpoint|safetensors\/|torch\/serialization/;

const STORED =
  /checkpoint|ckpt|state[_ ]?dict|safetensors|saved (?:model|weights|state|with)|pretrained weights|optimizer states?|_OptimStateKey/i;
const PERHAPS_STORED = /param(?:eter)?[_ ]groups?|\bshards?\b|\bweights\b|\barchive\b/i;
const DIFFERS =
  /mismatch|unmatched|(?:does|do|did)(?:n't| not) (?:match|exist|contain|have|fit|correspond)|(?:is|are|was|were) (?:not (?:found|in|present|compatible|loaded|equal)|empty|missing|absent)|not found|no such|missing|unexpected|unused|incompatible|corrupt|truncat|incomplete|different|differs?\b|(?:could(?:n't| not)|unable to|failed to|cannot|can't|can not) (?:be )?(?:find|found|load|loaded|restore|read|resume|match|locate|deserialize)|expect(?:ed|s|ing) .{0,120}?(?:got|found|but)|(?:but|and) (?:the )?(?:current|checkpoint|loaded|optimizer|model)|must be (?:the )?same|need to be the same|(?:contains|has) \d+ .{0,60}(?:but|while)|point to a valid/i;
/** What speaks of a checkpoint and is none of these: recomputed activations, a save, settings that exclude each other. */
const ANOTHER =
  /recomput|activation|gradient[_ ]checkpointing|\b(?:save|saving|write|writing|upload)\w*\b.{0,60}(?:fail|error)|(?:fail|error|unable|could not|cannot)\w* .{0,40}\b(?:to )?(?:save|saving|write|writing|upload)|tokenizer|data ?set|Parent directory|memory map|quota|space left|permission|timed? ?out|connection|is required|requires? |not supported with|must be (?:used|set|specified)|please (?:install|set)|--[a-z]/i;
const SAVING = /^_{0,2}(?:async_)?(?:save|write|dump|upload|snapshot|export|finalize|persist)\w*$/;
/** A frame so near to the end is where it was raised, not who asked for it. */
const NEAR = 12;

export function loadError(raised: Raised): LoadError | undefined {
  const type = raised.type.split(".").at(-1) ?? raised.type;
  if (!TYPES.test(type)) return undefined;
  const { message } = raised;
  const calls = raised.calls.slice(-NEAR);
  if (ANOTHER.test(message) || calls.some((call) => SAVING.test(call))) return undefined;
  const reads = calls.some((call) => READING.test(call)) || raised.files.slice(-3).some((file) => LIBRARY.test(file));
  const mayRead = calls.some((call) => MAYBE_READING.test(call));
  const speaks = STORED.test(message) || (mayRead && PERHAPS_STORED.test(message));
  if (!reads && !(speaks && DIFFERS.test(message))) return undefined;
  return { subcause: kindOf(type, message), param: paramOf(type, message) };
}

function kindOf(type: string, message: string): string | null {
  if (
    type === "FileNotFoundError" ||
    /no such file|(?:directory|folder|file|path)\b.{0,200}does ?n[o']t exist/i.test(message)
  )
    return "missing-file";
  if (/corrupt|truncat|incomplete|magic|EOF|not an? (?:sstable|zip)/i.test(message) || type === "EOFError")
    return "damaged-file";
  if (/param(?:eter)?[_ ]groups?|number of optimizers/i.test(message)) return "optimizer-groups";
  if (/optim/i.test(message) && /missing|not found|empty|step\b/i.test(message)) return "optimizer-missing";
  if (/shape|size/i.test(message) && /match|expect/i.test(message)) return "shape-mismatch";
  if (/unexpected|unused/i.test(message)) return "unexpected-key";
  if (type === "KeyError" || /missing|not (?:found|in)|does ?n[o']t (?:exist|contain)/i.test(message))
    return "missing-key";
  return null;
}

/** The key that a KeyError prints, or that the message names as one. */
function paramOf(type: string, message: string): string | null {
  const key = type === "KeyError" ? /^['"]([\w./-]{1,200})['"]$/.exec(message.trim())?.[1] : undefined;
  const named = /\bkey(?:=| )?['"]([\w./-]{1,200})['"]/.exec(message)?.[1];
  const found = key ?? named;
  return found !== undefined && /[._]/.test(found) ? found : null;
}
