// Verdicts without a root line that a signature knows: a person's words, a failure that nothing knows, and quiet.
import type { Facts } from "../facts/fact.ts";
import type { Label } from "../facts/signature.ts";
import { type Claim, inProse, playbookOf } from "./claims.ts";
import { quietCertainty, saidCertainty, unknownCertainty } from "./confidence.ts";
import type { Seen } from "./evidence.ts";
import { type Found as FoundFacts, moreFacts, rootFacts } from "./facts-of.ts";
import type { Finds, Kept } from "./finds.ts";
import type { Line } from "./lines.ts";
import { putNumbers } from "./numbers.ts";
import { isEnding, type TextKind } from "./quiet.ts";
import type { Sample } from "./reader.ts";
import { redact } from "./redact.ts";
import type { Rules } from "./rules.ts";
import { lineThatSays } from "./said.ts";
import { searchFor } from "./separate.ts";
import { QUOTE, quoteOf, redacted, refOf } from "./shown.ts";
import type { Root, Verdict } from "./verdict-type.ts";
import { isOwn, isTalk, meetsIt, type Words } from "./words.ts";

/** A verdict but for what is the same for all of them. */
export type Judged = Omit<Verdict, "clock" | "language" | "input">;

/** Adds the numbers that a person said. */
export type Told = (found: FoundFacts, label: Label) => void;

/** Words alone must read like a report of trouble that is there now; chatter about the same things reads like 0. */
const REPORT = 0.9;

/** Words that name a fault. */
export function isReport({ report, label }: Words): boolean {
  return report >= REPORT && label !== "none" && label !== "other";
}

export interface Said {
  sample: Sample;
  words: Words;
  kind: TextKind;
  claims: readonly Claim[];
  finds: Finds;
  told: Told;
  rules: Rules;
}

/** A person describes a fault that is there now, and no machine line says it. */
export function saidFault({ words: all, kind, claims, finds, told, rules, sample }: Said): Judged | undefined {
  // A log that says nothing of a fault is no fault, whatever stands around it, unless it cannot show what is told.
  if (kind.machine > 0.15 && !tellsMore(all, kind, sample)) return undefined;
  const quoted = meetsIt(kind.words) || isReport(all) ? quotedFault(finds, kind) : undefined;
  // What is quoted says which fault it is, whatever else the words are near.
  const words = quoted ? { ...all, label: quoted.rule.label, report: 1, share: 1 } : all;
  if (!quoted && !isReport(words)) return undefined;
  const found = rootFacts(finds, undefined);
  const facts = moreFacts(found, finds, undefined);
  putNumbers(found, finds, words.label, undefined);
  told(found, words.label);
  const playbook = playbookOf({ kept: quoted, label: words.label });
  const line = quoted?.first.line ?? lineThatSays(sample, kind.prose, words.label, rules);
  return {
    label: words.label,
    ...saidCertainty(words),
    playbook,
    subcause: quoted?.rule.subcause ?? claims.find((claim) => playbookOf(claim) === playbook)?.subcause ?? null,
    secondary: [],
    root: null,
    said: line ? saidBy(line) : null,
    cascade: null,
    facts: redacted(facts),
    runner_up: {
      label: words.runnerUp,
      would_separate: searchFor(words.label, words.runnerUp, rules) ?? {
        en: "The last 200 lines of every rank of the failed job.",
        zh: "失败作业每个 rank 的最后 200 行。",
      },
    },
    quotes: [],
    would_tell: {
      en: "These are words only; the log of the failed job would tell.",
      zh: "目前只有文字描述，失败作业的日志才能确认。",
    },
  };
}

/** So clear a report must be to stand against a log that is calm. */
const CLEAR = 0.97;

/** A hang, a lack of memory and a bad restore leave no trace on the lines that somebody shows below his words; losses do. */
function tellsMore({ report, label, share }: Words, kind: TextKind, sample: Sample): boolean {
  if (report < CLEAR || share < CLEAR || kind.done.length > 0) return false;
  if (!isOwn(kind.words) || isTalk(kind.words)) return false;
  if (label === "loss-spike" || label === "expert-imbalance" || label === "none" || label === "other") return false;
  const first = sample.lines.find(({ text }) => text.trim() !== "");
  return first !== undefined && kind.prose.has(`${first.source}:${first.line}`);
}

function saidBy(line: Line): Root {
  return {
    at: refOf(line),
    rank: null,
    host: null,
    time: null,
    utc: null,
    role: "first-symptom",
    quote: quoteOf(line),
  };
}

/**
 * What a person quotes within a sentence: "I get RuntimeError: CUDA out of memory when ...". A cause, else how a process
 * ended.
 */
function quotedFault(finds: Finds, kind: TextKind): Kept | undefined {
  const quoted = finds
    .kept()
    .filter(({ rule, first }) => rule.weight !== "against" && inProse(first.line, kind))
    .filter(({ rule }) => rule.role === "consequence" || (rule.role === "cause" && rule.weight === "strong"));
  const causes = quoted.filter(({ rule }) => rule.role === "cause");
  const said = causes.length > 0 ? causes : quoted;
  const labels = new Set(said.map(({ rule }) => rule.label));
  return labels.size === 1 ? said[0] : undefined;
}

/** Training went on until an exception, and not after it. */
function broke(finds: Finds, kind: TextKind): boolean {
  const last = new Map<number, number>();
  for (const track of finds.series.tracks())
    for (const { line } of track) last.set(line.source, Math.max(line.line, last.get(line.source) ?? 0));
  return finds
    .raised()
    .some(
      ({ line, type, framed }) =>
        (framed || type.startsWith("torch.")) &&
        line.line > (last.get(line.source) ?? Number.POSITIVE_INFINITY) &&
        !kind.done.some((done) => done.source === line.source && done.line > (last.get(line.source) ?? 0)),
    );
}

/** Something failed, and nothing here knows it. */
export function unknownFault(claims: readonly Claim[], finds: Finds, kind: TextKind): Judged | undefined {
  const { failed } = kind;
  if (!failed || kind.done.some((done) => done.source === failed.source && done.line < failed.line)) return undefined;
  // What a launcher says of an end nobody says in passing.
  if (kind.words !== "" && kind.machine === 0 && !isEnding(failed.text)) return undefined;
  if (finds.series.count() >= 5 && !broke(finds, kind)) return undefined;
  const quote = redact(failed.text.trim()).text.slice(0, QUOTE);
  const at = { source: failed.source, line: failed.line };
  return {
    label: "other",
    ...unknownCertainty(),
    playbook: playbookOf({ label: "other" }),
    subcause: null,
    secondary: [],
    root: { at, rank: null, host: null, time: null, utc: null, role: "first-symptom", quote },
    said: null,
    cascade: null,
    facts: redacted(moreFacts(rootFacts(finds, claims[0]), finds, claims[0])),
    runner_up: null,
    quotes: [{ at, quote, rank: null, host: null, time: null, role: "root", count: 1 }],
    would_tell: {
      en: "The lines above the first error, and how the job was started.",
      zh: "第一个错误之前的日志，以及作业的启动方式。",
    },
  };
}

export function quiet(words: Words | undefined, seen: Seen): Judged {
  const { finds, kind } = seen;
  const healthy = kind.done.length > 0 || finds.series.count() >= 3 || (kind.quiet === null && kind.machine > 0.5);
  return {
    label: "none",
    ...quietCertainty(healthy, words, seen),
    playbook: null,
    subcause: null,
    secondary: [],
    root: null,
    said: null,
    cascade: null,
    facts: kind.quiet === null && kind.machine > 0 ? quietFacts(finds) : {},
    runner_up: null,
    quotes: [],
    would_tell: null,
  };
}

/** A run that is well has a place, too: how many ranks, which step, how the loss went on after a resume. */
function quietFacts(finds: Finds): Facts {
  const found = rootFacts(finds, undefined);
  const all = moreFacts(rootFacts(finds, undefined), finds, undefined);
  for (const [name, fact] of Object.entries(all))
    if (/^(?:(?:saved_)?(?:world_size|tp|pp|ep|dp|cp)|job)$/.test(name)) found.facts[name] = fact;
  putNumbers(found, finds, "none", undefined);
  delete found.facts.loss_before;
  const resumed = finds.series.resumes.length > 0 ? finds.setting.marks().at(-1) : undefined;
  const points = finds.series.tracks().flatMap((track) => track.filter((point) => point.step !== null));
  const last = resumed ?? finds.setting.bars().at(-1) ?? points.at(-1);
  if (last?.step != null) found.put("step", last.step, last.line);
  return redacted(found.facts);
}
