// Claims -> who failed first, what followed -> verdict. Any finds at all give one; "unknown" is a verdict.
import type { Facts, LineRef } from "../facts/fact.ts";
import type { Label } from "../facts/signature.ts";
import { lastFailed } from "./attempts.ts";
import { cascadeOf } from "./cascade.ts";
import { type Claim, claimsOf } from "./claims.ts";
import { printedOf, utcOf } from "./clock.ts";
import { isBefore, ordered, settleClocks } from "./clocks.ts";
import { type Certainty, faultCertainty, quietCertainty } from "./confidence.ts";
import { type Odd, oddOneOut } from "./desync.ts";
import { type Found as FoundFacts, moreFacts, rootFacts } from "./facts-of.ts";
import type { Finds } from "./finds.ts";
import type { Line } from "./lines.ts";
import { putNumbers } from "./numbers.ts";
import { kindOf, type TextKind } from "./quiet.ts";
import type { Sample } from "./reader.ts";
import { redact } from "./redact.ts";
import { rootOf } from "./root.ts";
import type { Rules } from "./rules.ts";
import { putSaid } from "./said.ts";
import type { Quote, Root, Verdict } from "./verdict-type.ts";
import { ranked, type Waiting, whoWaits } from "./waiting.ts";
import { rankOfRoot, settleHost, settleRanks, stepBefore } from "./who.ts";
import { readWords, type Words } from "./words.ts";

export interface Found {
  finds: Finds;
  sample: Sample;
  rules: Rules;
  input: { sources: string[]; lines: number; bytes: number; cut_lines: number };
}

const MOST_REFS = 50;
const QUOTE = 600;
/** Words alone must read like a report of trouble that is there now; chatter about the same things reads like 0. */
const REPORT = 0.9;
/** And less than this is talk. */
const ABOUT = 0.1;

export function judge({ finds: all, sample, rules, input }: Found): Verdict {
  const clock = settleClocks(all);
  const finds = lastFailed(all, ordered);
  const seen = kindOf(sample);
  const claims = claimsOf(finds, seen);
  // A log that begins with its arguments is a log: what fails below them is no setting.
  const kind = seen.quiet === "config" && claims.some((claim) => claim.strong) ? { ...seen, quiet: null } : seen;
  const base = {
    clock,
    language: kind.language,
    input: {
      ...input,
      ranks_seen: rangesOf(finds.ranks),
      redacted: redact(sample.lines.map((line) => line.text).join("\n")).counts,
    },
  };
  const found = kind.quiet ? undefined : rootOf(claims, kind);
  const root = found && isOnlyQuoted(found, kind, rules) ? undefined : found;
  const told = (found: FoundFacts, label: Label): void => putSaid(found, sample, kind.prose, label);
  if (root) return { ...fault(root, claims, finds, kind, rules, told), ...base };
  const words = kind.quiet || kind.words === "" ? undefined : readWords(kind.words, rules);
  const said = words ? saidFault(words, kind, claims, finds, told) : undefined;
  if (said) return { ...said, ...base };
  const unknown = kind.quiet ? undefined : unknownFault(claims, finds, kind);
  if (unknown) return { ...unknown, ...base };
  return { ...quiet(finds, kind, words, claims), ...base };
}

/** A mail's "> " in front of the line, and words around it that report no trouble: somebody talks about a message. */
function isOnlyQuoted(root: Claim, kind: TextKind, rules: Rules): boolean {
  if (kind.words === "" || !root.lines.every(isBareQuote)) return false;
  return (readWords(kind.words, rules)?.report ?? 1) < ABOUT;
}

/** With a rank, a host or a time in front it is a log all the same. */
function isBareQuote(line: Line): boolean {
  return /^\s*> /.test(line.raw) && line.rank === null && line.host === null && Object.keys(line.times).length === 0;
}

type Judged = Omit<Verdict, "clock" | "language" | "input">;

type Told = (found: FoundFacts, label: Label) => void;

function fault(root: Claim, claims: readonly Claim[], finds: Finds, kind: TextKind, rules: Rules, told: Told): Judged {
  const words = root.strong || kind.words === "" ? undefined : readWords(kind.words, rules);
  const odd = root.label === "nccl-timeout" && root.role === "consequence" ? oddOneOut(finds) : undefined;
  if (odd) root.line = odd.hit.line;
  const found = rootFacts(finds, root);
  if (odd) putOdd(found, odd);
  if (root.role === "cause") root.line.rank ??= rankOfRoot(root, found.facts, finds, claims);
  const facts = moreFacts(found, finds, root, claims);
  putNumbers(found, finds, root.label, firstOfFault(root, finds));
  const waiting = whoWaits(finds, facts);
  const cascade = cascadeOf(root, claims, waiting, facts);
  settleRanks(facts, root, waiting, claims, finds);
  settleHost(facts, finds);
  const last = facts.step ? undefined : stepBefore(firstOfFault(root, finds), finds);
  if (last) facts.step = { value: last.step, lines: [refOf(last.line)] };
  told(found, root.label);
  const certainty = faultCertainty(root, claims, words);
  const subcause =
    root.subcause ?? claims.find((claim) => claim.label === root.label && claim.subcause !== null)?.subcause ?? null;
  return {
    label: root.label,
    status: certainty.status,
    confidence: certainty.confidence,
    playbook: root.kept?.rule.playbook ?? root.label,
    subcause,
    secondary: secondaryOf(root, claims),
    root: rootView(root),
    cascade,
    facts: redacted(facts),
    runner_up: certainty.rival ? rivalOf(certainty.rival, root) : null,
    quotes: quotesOf(root, claims),
    would_tell: wouldTell(root, waiting),
  };
}

/** Where numbers go wrong, warnings come before the exception that ends the run. */
function firstOfFault(root: Claim, finds: Finds): Line {
  if (root.label !== "loss-spike" || root.curve) return root.line;
  return finds
    .kept()
    .filter((kept) => kept.rule.label === root.label && kept.rule.weight !== "against")
    .reduce((first, kept) => (isBefore(kept.first.line, first) ? kept.first.line : first), root.line);
}

function putOdd(found: FoundFacts, odd: Odd): void {
  found.put("suspect_ranks", [odd.rank], odd.hit.line);
  found.put("hang_kind", "desync", odd.hit.line);
}

function rootView(root: Claim): Root {
  return {
    at: refOf(root.line),
    rank: root.line.rank,
    host: root.line.host,
    time: printedOf(root.line.times),
    utc: utcOf(root.line.times),
    role: root.role === "cause" ? "cause" : "first-symptom",
    quote: quoteOf(root.line),
  };
}

function secondaryOf(root: Claim, claims: readonly Claim[]): Verdict["secondary"] {
  const byLabel = new Map<Label, LineRef[]>();
  for (const claim of claims) {
    if (claim.label === root.label || !claim.strong || (claim.label === "other" && claim.generic)) continue;
    const lines = byLabel.get(claim.label) ?? [];
    for (const line of claim.lines) if (lines.length < MOST_REFS) lines.push(refOf(line));
    byLabel.set(claim.label, lines);
  }
  if (root.curve?.subcause === "resume-state-not-restored" && !byLabel.has("loss-spike"))
    byLabel.set("loss-spike", [refOf(root.line)]);
  return [...byLabel].map(([label, lines]) => ({ label, lines: sortRefs(lines) }));
}

function sortRefs(lines: LineRef[]): LineRef[] {
  return lines.sort((a, b) => a.source - b.source || a.line - b.line);
}

function quotesOf(root: Claim, claims: readonly Claim[]): Quote[] {
  const quotes: Quote[] = [quoteFrom(root, "root")];
  const told = new Set([`${root.line.source}:${root.line.line}`]);
  for (const claim of claims) {
    const at = `${claim.line.source}:${claim.line.line}`;
    if (told.has(at) || quotes.length >= 12) continue;
    told.add(at);
    quotes.push(quoteFrom(claim, claim.role === "consequence" ? "consequence" : "context"));
  }
  return quotes;
}

function quoteFrom(claim: Claim, role: Quote["role"]): Quote {
  const { line } = claim;
  return {
    at: refOf(line),
    quote: quoteOf(line),
    rank: line.rank,
    host: line.host,
    time: printedOf(line.times),
    role,
    count: claim.count,
  };
}

function quoteOf(line: Line): string {
  return redact(line.raw.trim().slice(0, QUOTE)).text;
}

function refOf(line: Line): LineRef {
  return { source: line.source, line: line.line };
}

function redacted(facts: Facts): Facts {
  for (const fact of Object.values(facts)) {
    if (typeof fact.value === "string") fact.value = redact(fact.value).text;
    if (Array.isArray(fact.value) && fact.value.some((one) => typeof one === "string")) {
      fact.value = fact.value.map((one) => (typeof one === "string" ? redact(one).text : one));
    }
  }
  return facts;
}

function rivalOf(rival: Claim, root: Claim): NonNullable<Verdict["runner_up"]> {
  const where =
    rival.line.rank === null ? `line ${rival.line.line}` : `rank ${rival.line.rank} (line ${rival.line.line})`;
  const wo =
    rival.line.rank === null ? `第 ${rival.line.line} 行` : `${rival.line.rank} 号 rank(第 ${rival.line.line} 行)`;
  return {
    label: rival.label,
    would_separate: {
      en: `Which came first: line ${root.line.line}, or ${where}? The same lines with their times would tell.`,
      zh: `第 ${root.line.line} 行和${wo}哪个在先？带时间戳的同一段日志即可判断。`,
    },
  };
}

function wouldTell(root: Claim, waiting: Waiting): Verdict["would_tell"] {
  if (root.role === "cause") return null;
  if (waiting.late.length > 0) {
    const who = waiting.late.slice(0, 5).join(", ");
    return { en: `The log of rank ${who}.`, zh: `${who} 号 rank 的日志。` };
  }
  if (waiting.missing.length > 0) {
    const who = waiting.missing.slice(0, 5).join(", ");
    return {
      en: `The log of rank ${who}, which is missing from this text.`,
      zh: `${who} 号 rank 的日志，这段文本里没有它。`,
    };
  }
  return {
    en: "The logs of the ranks that print no time-out.",
    zh: "没有打印超时的那些 rank 的日志。",
  };
}

/** A person describes a fault that is there now, and no machine line says it. */
function saidFault(
  words: Words,
  kind: TextKind,
  claims: readonly Claim[],
  finds: Finds,
  told: Told,
): Judged | undefined {
  if (words.report < REPORT || words.label === "none" || words.label === "other") return undefined;
  if (finds.series.count() >= 3 && claims.length === 0 && words.report < 0.9) return undefined;
  // A log that says nothing of a fault is no fault, whatever stands around it.
  if (kind.machine > 0.15) return undefined;
  const certainty: Certainty = {
    status: "supported",
    confidence: Math.min(0.79, 0.35 + 0.5 * words.share * words.report),
    rival: null,
  };
  const found = rootFacts(finds, undefined);
  const facts = moreFacts(found, finds, undefined);
  putNumbers(found, finds, words.label, undefined);
  told(found, words.label);
  return {
    label: words.label,
    status: certainty.confidence < 0.6 ? "unclear" : "supported",
    confidence: certainty.confidence,
    playbook: words.label,
    subcause: claims.find((claim) => claim.label === words.label)?.subcause ?? null,
    secondary: [],
    root: null,
    cascade: null,
    facts: redacted(facts),
    runner_up: {
      label: words.runnerUp,
      would_separate: {
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
function unknownFault(claims: readonly Claim[], finds: Finds, kind: TextKind): Judged | undefined {
  const { failed } = kind;
  if (!failed || kind.done.some((done) => done.source === failed.source && done.line < failed.line)) return undefined;
  if (kind.words !== "" && kind.machine === 0) return undefined;
  if (finds.series.count() >= 5 && !broke(finds, kind)) return undefined;
  const quote = redact(failed.text.trim().slice(0, QUOTE)).text;
  const at = { source: failed.source, line: failed.line };
  return {
    label: "other",
    status: "unknown",
    confidence: 0.5,
    playbook: "other",
    subcause: null,
    secondary: [],
    root: { at, rank: null, host: null, time: null, utc: null, role: "first-symptom", quote },
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

function quiet(finds: Finds, kind: TextKind, words: Words | undefined, claims: readonly Claim[]): Judged {
  const healthy = kind.done.length > 0 || finds.series.count() >= 3 || (kind.quiet === null && kind.machine > 0.5);
  return {
    label: "none",
    status: healthy ? "confirmed" : "unknown",
    confidence: quietCertainty({ healthy, kind, words, claims }),
    playbook: null,
    subcause: null,
    secondary: [],
    root: null,
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

/** {0, 1, 2, 5} -> ["0-2", "5"]. */
export function rangesOf(ranks: Iterable<number>): string[] {
  const ranges: string[] = [];
  let from: number | undefined;
  let to = 0;
  for (const rank of ranked(ranks)) {
    if (from !== undefined && rank === to + 1) {
      to = rank;
      continue;
    }
    if (from !== undefined) ranges.push(from === to ? `${from}` : `${from}-${to}`);
    from = rank;
    to = rank;
  }
  if (from !== undefined) ranges.push(from === to ? `${from}` : `${from}-${to}`);
  return ranges;
}
