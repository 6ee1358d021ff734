// A claim as the verdict shows it: root, secondary labels, quotes and facts without secrets, and what would tell more.
import type { Facts, LineRef } from "../facts/fact.ts";
import type { Label } from "../facts/signature.ts";
import type { Claim } from "./claims.ts";
import { printedOf, utcOf } from "./clock.ts";
import type { Line } from "./lines.ts";
import { redact } from "./redact.ts";
import type { Quote, Root, Verdict } from "./verdict-type.ts";
import { ranked, type Waiting } from "./waiting.ts";

const MOST_REFS = 50;
export const QUOTE = 600;

export function rootView(root: Claim): Root {
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

export function secondaryOf(root: Claim, claims: readonly Claim[]): Verdict["secondary"] {
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

export function quotesOf(root: Claim, claims: readonly Claim[]): Quote[] {
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

export function quoteFrom(claim: Claim, role: Quote["role"]): Quote {
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

export function quoteOf(line: Line): string {
  // Cut behind what was taken out: a secret cut in two may no longer look like one.
  return redact(line.raw.trim()).text.slice(0, QUOTE);
}

export function refOf(line: Line): LineRef {
  return { source: line.source, line: line.line };
}

export function redacted(facts: Facts): Facts {
  for (const fact of Object.values(facts)) {
    if (typeof fact.value === "string") fact.value = redact(fact.value).text;
    if (Array.isArray(fact.value) && fact.value.some((one) => typeof one === "string")) {
      fact.value = fact.value.map((one) => (typeof one === "string" ? redact(one).text : one));
    }
  }
  return facts;
}

export function rivalOf(rival: Claim, root: Claim): NonNullable<Verdict["runner_up"]> {
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

export function wouldTell(root: Claim, waiting: Waiting): Verdict["would_tell"] {
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
  if (root.label !== "nccl-timeout") {
    // How a process ended, and nothing about why.
    const where =
      root.line.host === null ? { en: "its node", zh: "该节点" } : { en: root.line.host, zh: root.line.host };
    return {
      en: `The last lines of the process, and the kernel log of ${where.en}.`,
      zh: `该进程最后的输出，以及 ${where.zh} 的内核日志。`,
    };
  }
  return {
    en: "The logs of the ranks that print no time-out.",
    zh: "没有打印超时的那些 rank 的日志。",
  };
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
