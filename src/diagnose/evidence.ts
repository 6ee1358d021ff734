// What a verdict stands on, as one of a few named kinds. How often each kind was right is its confidence: shares.ts.
import type { Claim } from "./claims.ts";
import type { Finds } from "./finds.ts";
import type { Line } from "./lines.ts";
import { hasMoved } from "./moved.ts";
import { isEnding, type TextKind } from "./quiet.ts";
import type { Sample } from "./reader.ts";
import type { Words } from "./words.ts";

export type Evidence =
  // A fault.
  | "cause" // a machine's line states it
  | "curve" // the numbers of training show it
  | "curve-and-failure" // they do, and something else failed as well
  | "load-exception" // no signature knows it, and it was raised in loading a checkpoint
  | "exception" // the program's own, about nothing that a playbook is about
  | "exception-nearby" // it speaks of memory, communication, checkpoints or numbers, and no signature knows it
  | "wait" // victims only
  | "wait-for-someone" // victims only, and the text shows who was late
  | "wait-and-doubts" // victims only, and other lines before them complain of something
  | "ending" // how a process ended, not why
  | "bare-line" // one such line without rank, host or time: it may be quoted
  | "signs" // indirect signs
  | "exception-unframed" // an exception's name without its traceback
  | "two-in-order" // two causes, and a clock says which came first
  | "two-causes" // two causes, and nothing says which came first
  | "told-clearly" // a person's words that fit one fault
  | "told" // a person's words that fit one fault better than others
  | "told-vaguely" // a person's words that fit two faults
  | "failure" // something failed that nothing knows
  // No fault.
  | "no-log" // a diff, green tests, the description of a change, a configuration, code
  | "settings-and-words" // settings or code, and a person's words among them
  | "talk" // people's words that report nothing
  | "talk-of-trouble" // people's words that may report something
  | "ended-well" // a run that says so
  | "training" // a run whose last line is one of training
  | "moved" // such a run, and some number of its lines has left its range
  | "stopped" // a run whose last line says something else
  | "warnings" // the last lines warn, a number is none, or something looks like a fault
  | "unread"; // none of these

export interface Seen {
  claims: readonly Claim[];
  finds: Finds;
  sample: Sample;
  kind: TextKind;
}

/** Memory, communication, numbers, checkpoints: what an exception names when it is about a playbook's subject. */
const SUBJECT =
  /memory|alloc|\bnan\b|\binf\b|loss|gradient|checkpoint|ckpt|state_?dict|restor|\bload|shape|size mismatch|size of tensor|torch\.Size|expert|nccl|hccl|rccl|collective|gloo|barrier|rendezvous|time(?:d|s)? ?-?out|timeout|safetensors|serializ|optim|pickl|param|\brank/i;
const SUBJECT_FILE =
  /checkpoint|serializ|safetensors|state_dict|optim|zero|fsdp|memory|distributed|stage_?\d|communicat/i;
/** Python's own types for mistakes of a program. A RuntimeError may be anything, and so may a library's own type. */
const OWN_MISTAKE =
  /^(?:builtins\.)?(?:Key|Index|Attribute|Type|Name|UnboundLocal|ZeroDivision|Import|ModuleNotFound|Unicode(?:De|En)code|Syntax|Indentation|NotImplemented|Permission|Connection\w*|Recursion)Error$|JSONDecodeError$/;

/** A verdict with a root line. `late`: the text shows who was waited for. */
export function evidenceOf(root: Claim, late: boolean, seen: Seen): Evidence {
  const { claims, kind } = seen;
  const others = claims.filter((claim) => claim !== root && claim.line !== root.line);
  const raised = others.some((claim) => claim.generic);
  if (root.generic) {
    if (!root.strong) return "exception-unframed";
    if (root.load) return "load-exception";
    return isOwnMistake(root) ? "exception" : "exception-nearby";
  }
  if (!root.strong) return "signs";
  if (root.curve) return raised || (kind.failed && !isEnding(kind.failed.text)) ? "curve-and-failure" : "curve";
  if (root.role === "cause") return "cause";
  if (isBare(root.line) && !NAMED.test(root.line.text) && seen.sample.lines.length <= 2) return "bare-line";
  if (root.label !== "nccl-timeout") return "ending";
  const suspected = others.some((claim) => claim.role === "cause" && claim.label !== root.label);
  if (suspected || raised || complainsBefore(root.line, seen)) return "wait-and-doubts";
  return late ? "wait-for-someone" : "wait";
}

function isOwnMistake({ raised }: Claim): boolean {
  if (!raised || !OWN_MISTAKE.test(raised.type) || SUBJECT.test(raised.message.slice(0, 400))) return false;
  return !raised.files.slice(-3).some((file) => SUBJECT_FILE.test(file.slice(file.lastIndexOf("/") + 1)));
}

/** With the exception's whole name in front, nobody says it in passing. */
const NAMED = /^(?:[a-z_]\w*\.){2,}[A-Z]\w*(?:Error|Exception): /;

function isBare(line: Line): boolean {
  return line.rank === null && line.host === null && Object.keys(line.times).length === 0;
}

/** What lines say that tell of a reason; wider than an alarm, since here something has failed. */
const COMPLAINT =
  /\b(?:errors?|exception|fail(?:ed|ure|s)?|fatal|abort(?:ed|ing)?|kill(?:ed|s|ing)?|\w*oom\w*|out of memory|xid|ecc|terminat(?:ed|ing|ion)|preempt\w*|evict\w*|cancel\w*|unable|cannot|can't|could not|not found|missing|invalid|denied|refused|corrupt\w*|unreachable|disconnect\w*|exit ?codes?|exceed\w*|nan)\b/i;
/** Settings, counters at zero, what NCCL says while it begins, and frames of a stack. */
const NO_COMPLAINT =
  /NCCL (?:INFO|version)|NCCL_\w+=|\b(?:errors?|failures?|failed|nans?|nan iterations|skipped)\b[^,|;]{0,20}[:= ]\s{0,8}0\b|\b0 (?:errors?|fail)|Stack trace of the failed collective|^\s*(?:frame #|File "|at )|Traceback/i;

/** A line above the first victim's tells of a reason, and nothing here says what it means. */
function complainsBefore(root: Line, { claims, finds, sample, kind }: Seen): boolean {
  const complaints = new Set(
    sample.lines
      .filter(({ source, line, text }) => source === root.source && line < root.line && isComplaint(text))
      .map(keyOf),
  );
  for (const key of kind.prose) complaints.delete(key);
  for (const claim of claims) for (const line of claim.lines) complaints.delete(keyOf(line));
  if (complaints.size === 0) return false;
  for (const track of finds.series.tracks()) for (const { line } of track) complaints.delete(keyOf(line));
  return complaints.size > 0;
}

function isComplaint(text: string): boolean {
  const seen = text.slice(0, 2_000);
  return COMPLAINT.test(seen) && !NO_COMPLAINT.test(seen);
}

function keyOf({ source, line }: { source: number; line: number }): string {
  return `${source}:${line}`;
}

export function evidenceOfReport({ report, share }: Words): Evidence {
  if (share >= 0.99999 && report >= 0.99) return "told-clearly";
  return share >= 0.9 ? "told" : "told-vaguely";
}

/** Below this, words read like no report at all. */
const TALK = 0.01;

export function evidenceOfTalk(words: Words): Evidence {
  return words.report < TALK ? "talk" : "talk-of-trouble";
}

/** A verdict that finds no fault. */
export function evidenceOfQuiet(words: Words | undefined, seen: Seen): Evidence {
  const { claims, finds, sample, kind } = seen;
  const settings = kind.quiet === "config" || kind.quiet === "code";
  if (kind.quiet) return settings && words ? "settings-and-words" : "no-log";
  if (kind.done.length > 0) return "ended-well";
  if (claims.length > 0 || kind.alarmed || sample.lines.some(({ text }) => isNaNLine(text))) return "warnings";
  if (finds.series.count() >= 3) {
    if (endsOtherwise(seen)) return "stopped";
    return finds.series.tracks().some(hasMoved) ? "moved" : "training";
  }
  const people = kind.prose.size * 10 >= sample.lines.filter(({ text }) => text.trim() !== "").length * 7;
  return words && people ? evidenceOfTalk(words) : "unread";
}

/** "nan iterations: 0" counts none. */
function isNaNLine(text: string): boolean {
  return /[=:]\s{0,8}["']?-?nan(?:\.0)?\b/i.test(text.slice(0, 2_000));
}

/** The last lines of a source are none of those that stood between its steps before. */
function endsOtherwise({ finds, sample }: Seen): boolean {
  const last = new Map<number, number>();
  for (const track of finds.series.tracks())
    for (const { line } of track) last.set(line.source, Math.max(line.line, last.get(line.source) ?? 0));
  const before = new Set<string>();
  const after: string[] = [];
  for (const { source, line, text } of sample.lines) {
    const end = last.get(source);
    if (end === undefined || text.trim() === "") continue;
    if (line <= end) before.add(shapeOf(text));
    else after.push(shapeOf(text));
  }
  return after.some((shape) => !before.has(shape));
}

/** Two lines of the same shape differ in their numbers only. */
function shapeOf(text: string): string {
  return text.slice(0, 200).replace(/[\d.]+/g, "#");
}
