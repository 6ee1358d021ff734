// Everything that speaks for a label, in one shape: signatures, curves, token counts and exceptions that no signature knows.
import type { Label } from "../facts/signature.ts";
import { firstBy, isBefore } from "./clocks.ts";
import { type Curve, judgeCurves } from "./curves.ts";
import type { Finds, Hit, Kept } from "./finds.ts";
import type { Line } from "./lines.ts";
import { type LoadError, loadError } from "./loading.ts";
import type { TextKind } from "./quiet.ts";
import type { Raised } from "./tracebacks.ts";

export interface Claim {
  label: Label;
  /** Strong claims decide alone. */
  strong: boolean;
  /** cause: states a root fault. consequence: follows from something else, and carries its label only where nothing else does. */
  role: "cause" | "consequence";
  /** A generic exception yields to any cause that says more. */
  generic: boolean;
  subcause: string | null;
  line: Line;
  /** Every line that says it, the first ones of each rank. */
  lines: Line[];
  count: number;
  curve?: Curve;
  raised?: Raised;
  /** Set where an exception that no signature knows is one of loading a checkpoint. */
  load?: LoadError;
  kept?: Kept;
}

/**
 * The playbook that a claim opens: that of its signature, since several playbooks may serve one label. What no signature
 * states opens the playbook named after its label.
 */
export function playbookOf({ kept, label }: Pick<Claim, "kept" | "label">): string {
  return kept?.rule.playbook ?? label;
}

/** Exceptions that only pass on what happened elsewhere, or end a process that something else has ended. */
const PASSED_ON =
  /^(?:torch\.distributed\.)?(?:Dist(?:Backend|Network|Store)?Error|elastic\.[\w.]*ChildFailedError)$|(?:ChildFailedError|SignalException|BrokenPipeError|ConnectionResetError|ConnectionAbortedError|ProcessRaisedException|ProcessExitedException|CalledProcessError|EOFError|SystemExit|MultiprocessingError|RayTaskError(?:\(\w+\))?|WorkerCrashedError|ActorDiedError|ActorUnavailableError|RayActorError|NodeDiedError|RaySystemError|OwnerDiedError|TaskUnschedulableError|CancelledError|RuntimeError)$/;
const PASSED_ON_WORDS =
  /^(?:NCCL (?:error|communicator|Error)|Connection (?:closed|reset)|Socket Timeout|.{0,80}(?:Connection (?:closed by|reset by|refused)|Broken pipe|process group|terminated with|Watchdog caught|connectFullMesh|Aborted|was aborted|Application timeout|remote error)|.{0,160}(?:(?:NPU|OPS|HCCL) function error|HCCL error in)|ACL stream synchronize failed|$)/;

export function claimsOf(finds: Finds, kind: TextKind): Claim[] {
  const claims: Claim[] = [];
  for (const kept of finds.kept()) {
    const claim = claimOf(kept, kind);
    const taken = claim && wentOn(claim, finds) ? asWarned(claim) : claim;
    if (taken) claims.push(taken);
  }
  for (const curve of judgeCurves(finds.series)) claims.push(fromCurve(curve));
  const hurt = claims.find((claim) => claim.label === "oom" && claim.role === "cause" && claim.line.rank !== null);
  const experts = finds.experts.judge(hurt?.line.rank ?? null);
  if (experts) claims.push(fromCurve(experts));
  claims.push(...exceptions(finds, claims, kind));
  return claims;
}

function claimOf(kept: Kept, kind: TextKind): Claim | undefined {
  const { rule } = kept;
  if (rule.role === "context" || rule.weight === "against") return undefined;
  const hits = kept.hits.filter((hit) => !inProse(hit.line, kind) || isSaidByMachine(hit, kind));
  if (hits.length === 0) return undefined;
  const first = firstBy(hits);
  return {
    label: rule.label,
    strong: rule.weight === "strong",
    role: rule.role,
    generic: rule.subcause === "python-exception",
    subcause: rule.subcause ?? null,
    line: first.line,
    lines: hits.map((hit) => hit.line),
    count: kept.count,
    kept,
  };
}

/** So many steps after a load error show that the run did without. */
const STEPS_AFTER = 3;
/** From the error to the exception it belongs to, either way. */
const EXCEPTION_WITHIN = 60;
/** What a fine-tune replaces. */
const HEAD = /classifier|score|\bheads?\b|(?<!lm)_head\b|qa_outputs|predictor|\bfc\b|logits|\bcls\b/;

/** A load that would have raised was printed, nothing was raised, and the run trains below it. */
function wentOn({ line, strong, kept }: Claim, finds: Finds): boolean {
  if (!strong || kept?.rule.label !== "checkpoint-mismatch" || kept.rule.implies?.load_failure !== "raises")
    return false;
  const near = finds
    .raised()
    .some((one) => one.line.source === line.source && Math.abs(one.line.line - line.line) <= EXCEPTION_WITHIN);
  if (near) return false;
  const after = finds.series
    .tracks()
    .flatMap((track) => track.filter((point) => point.line.source === line.source && isBefore(line, point.line)));
  return after.length >= STEPS_AFTER;
}

/** A replaced head is meant; anything else was left out, and nobody said so. */
function asWarned(claim: Claim): Claim | undefined {
  const params = (claim.kept?.hits ?? []).map(({ groups }) => groups.param);
  if (params.every((param) => param !== undefined && HEAD.test(param))) return undefined;
  return { ...claim, strong: false, subcause: "partial-load" };
}

export function inProse(line: Line, kind: TextKind): boolean {
  return kind.prose.has(`${line.source}:${line.line}`);
}

/** A person quoting a line asks, tells when, or says who; many a machine's line reads like prose, too. */
const TOLD =
  /[??]|\b(?:i|i'm|i've|we|we've|my|our|us|anyone|anybody|somebody|hey|hi|fyi|btw|lol|thanks|thx|remember|last (?:week|month|night|year|time)|yesterday|fixed|solved|any idea|turned out|keep getting|getting|means (?:that|the|your|it)|stands for|refers to|looks like (?:this|that)|you (?:might|may|can|often|will))\b/i;

function isSaidByMachine({ rule, line }: Hit, kind: TextKind): boolean {
  const text = line.text.trim();
  if (rule.weight !== "strong" || TOLD.test(text)) return false;
  // In the middle of a log a sentence is a launcher's.
  if (kind.machine > 0.5) return true;
  const found = new RegExp(rule.pattern).exec(text);
  return found !== null && (found.index <= 2 || found[0].length * 2 >= text.length);
}

function fromCurve(curve: Curve): Claim {
  return {
    label: curve.label,
    strong: curve.strong,
    role: "cause",
    generic: false,
    subcause: curve.subcause,
    line: curve.line,
    lines: [curve.line, ...curve.also],
    count: 1,
    curve,
  };
}

/** The first exception of each chain that no signature speaks for. */
function exceptions(finds: Finds, claims: readonly Claim[], kind: TextKind): Claim[] {
  const spokenFor = new Set<string>();
  for (const claim of claims) for (const line of claim.lines) spokenFor.add(`${line.source}:${line.line}`);
  const raised = finds.raised();
  const found: Claim[] = [];
  // A paste begins in the middle of one rank's traceback; another rank's stands there whole.
  const framed = new Set(raised.filter((one) => one.framed && one.message !== "").map(toldBy));
  for (const all of raised) {
    const one = all.framed || !framed.has(toldBy(all)) ? all : { ...all, framed: true };
    if (inProse(one.line, kind) || isPassedOn(one)) continue;
    if (chainOf(all, raised).some((link) => spokenFor.has(`${link.line.source}:${link.line.line}`))) continue;
    if (!one.framed && !/Error$/.test(one.type) && !loadError(one)) continue;
    if (meetsAnothersState(one, finds, kind)) {
      found.push({
        ...fromException(one),
        label: "checkpoint-mismatch",
        generic: false,
        subcause: "optimizer-reshard",
      });
      continue;
    }
    found.push(fromException(one));
  }
  return found;
}

function toldBy({ type, message }: Raised): string {
  return `${type}: ${message}`;
}

function fromException(raised: Raised): Claim {
  const load = loadError(raised);
  const subcause = /Interrupt$/.test(raised.type) ? "interrupted" : "python-exception";
  return {
    label: load ? "checkpoint-mismatch" : "other",
    strong: raised.framed,
    role: "cause",
    generic: true,
    subcause: load ? load.subcause : subcause,
    line: raised.line,
    lines: [raised.line],
    count: 1,
    raised,
    ...(load ? { load } : {}),
  };
}

const OTHER_SIZE =
  /^(?:The size of tensor a \(\d+\) must match the size of tensor b \(\d+\)|output with shape \[[\d, ]*\] doesn't match|invalid argument \d+: sizes do not match at )/;
/** A person's own account of a run that goes on from a checkpoint. */
const SAID_RESUMED =
  /\bresum(?:e|es|ed|ing)\b|\bcontinu(?:e|es|ed|ing) (?:the |my |to )?(?:train|fine-?tun|run)|\b(?:load|restor)\w* (?:\w+ ){0,3}(?:optimi[sz]er|checkpoint|ckpt|state)|\bsaved optimi[sz]er|续训|恢复训练|继续训练|断点|接着训/i;

/** State that was restored without a word, and does not fit the parameter in the optimizer's first step after it. */
function meetsAnothersState(raised: Raised, finds: Finds, kind: TextKind): boolean {
  if (!OTHER_SIZE.test(raised.message)) return false;
  if (!raised.files.slice(-3).some((file) => /[/\\]optim(?:izers?)?[/\\]|fused_adam|[/\\]zero[/\\]/.test(file)))
    return false;
  return SAID_RESUMED.test(kind.words) || finds.series.resumes.some((resume) => isBefore(resume, raised.line));
}

export function isPassedOn(raised: Raised): boolean {
  const short = raised.type.split(".").at(-1) ?? raised.type;
  if (short === "RuntimeError" || short === "EOFError") return PASSED_ON_WORDS.test(raised.message);
  return (
    PASSED_ON.test(raised.type) ||
    PASSED_ON.test(short) ||
    (PASSED_ON_WORDS.test(raised.message.slice(0, 200)) && /^(?:OS|Connection|Timeout)\w*Error$/.test(short))
  );
}

function chainOf(raised: Raised, all: readonly Raised[]): Raised[] {
  const chain = [raised];
  for (let at = raised.after; at >= 0 && chain.length < 16; at = all[at]?.after ?? -1) {
    const link = all[at];
    if (link) chain.push(link);
  }
  return chain;
}
