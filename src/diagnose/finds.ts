// What is kept of the lines: hits of signatures, ends of tracebacks, numbers of training, who spoke. Bounded, whatever comes.
import type { Rule } from "../facts/signature.ts";
import { type Attempts, createAttempts } from "./attempts.ts";
import type { Candidates, Compiled } from "./candidates.ts";
import { between } from "./clock.ts";
import { type Clocks, createClocks } from "./clocks.ts";
import { createExperts, type Experts } from "./experts.ts";
import { createLaunchers, type Launchers } from "./launcher.ts";
import type { Line } from "./lines.ts";
import { createNodes, type Nodes } from "./nodes.ts";
import { createSeries, type Series } from "./series.ts";
import { createSetting, type Setting } from "./setting.ts";
import { createTracebacks, type Raised } from "./tracebacks.ts";

export interface Hit {
  rule: Rule;
  line: Line;
  /** Named groups as printed. */
  groups: Record<string, string>;
}

export interface Kept {
  rule: Rule;
  /** In order of reading: the first ones, and the first of every rank. */
  hits: Hit[];
  count: number;
  first: Hit;
  /** The earliest by a clock shared with `first`. */
  earliest: Hit;
}

export interface Finds {
  /** True asks for the next line: this one ended in the middle of something. */
  look(line: Line): boolean;
  kept(): Kept[];
  raised(): Raised[];
  series: Series;
  experts: Experts;
  /** Ranks that printed anything looked at. */
  ranks: Set<number>;
  /** Of each host the first line that names it. */
  hosts: Map<string, Line>;
  /** The host in front of a rank's lines; null where there are two. */
  hostOfRank: Map<number, string | null>;
  nodes: Nodes;
  launchers: Launchers;
  setting: Setting;
  attempts: Attempts;
  clocks: Clocks;
}

const MOST_HITS = 64;
/** A context line that came so often is one that healthy runs print. */
const DULL = 1_000;
const MOST_RANKS = 8_192;
/** "root@gpu-7:/# ", "(venv) me@gpu-7:~$ ", "[me@gpu-7 logs]$ " */
const PROMPT =
  /^(?:\([\w.-]{1,32}\) )?\[?(?:[\w.-]{1,32}@)?(?!step\b|line\b)([A-Za-z][\w.-]{1,62})(?::| )[~/]?[\w./-]{0,80}\]?[$#] /;
/** "me@gpu-7 ~ % " */
const ZSH_PROMPT = /^(?:\([\w.-]{1,32}\) )?[\w.-]{1,32}@([A-Za-z][\w.-]{1,62}) [~/]?[\w./-]{0,80} % /;
/** A hit keeps so much of its line. */
const QUOTE = 4_000;
/** A pattern sees no longer text than this: many take time in proportion to its square. */
export const SEEN = 2_048;
/** Of a longer line it sees the front, and this much before and after the first place of each of its literals. */
const AROUND = 900;

export function createFinds(candidates: Candidates, enough: (rule: Rule) => void): Finds {
  const byRule = new Map<Rule, Kept & { ranks: Set<string> }>();
  const ranks = new Set<number>();
  const hosts = new Map<string, Line>();
  const hostOfRank = new Map<number, string | null>();
  const tracebacks = createTracebacks();
  const attempts = createAttempts();
  const clocks = createClocks();
  const series = createSeries((line, step) => {
    attempts.step(line, step);
    if (step !== null) clocks.mark(line, `step ${step}${again(line.source)}`);
  });
  const experts = createExperts();
  const nodes = createNodes();
  const prompts = new Map<number, string>();
  const launchers = createLaunchers();
  const setting = createSetting();
  /** Another attempt goes through the same steps. */
  function again(source: number): string {
    const attempt = attempts.now(source);
    return attempt === 0 ? "" : ` after restart ${attempt}`;
  }

  let torn: { line: Line; missed: Compiled[] } | null = null;

  function keep(rule: Rule, line: Line, groups: Record<string, string>): void {
    const hit: Hit = { rule, line: short(line), groups };
    const kept = byRule.get(rule);
    if (rule.weight === "strong" && rule.role !== "context") attempts.failure(line);
    if (groups.seq !== undefined) clocks.mark(line, `time-out of operation ${groups.seq}${again(line.source)}`);
    const attempt = attempts.now(line.source);
    const rank = line.rank === null ? null : `${attempt}/${line.rank}`;
    if (!kept) {
      const seen = new Set(rank === null ? [] : [rank]);
      byRule.set(rule, { rule, hits: [hit], count: 1, first: hit, earliest: hit, ranks: seen });
      return;
    }
    kept.count += 1;
    if (kept.count === DULL && rule.role === "context") enough(rule);
    const newRank = rank !== null && !kept.ranks.has(rank) && kept.ranks.size < MOST_RANKS;
    if (newRank) kept.ranks.add(rank);
    const ahead = between(hit.line.times, kept.earliest.line.times);
    const isEarliest = ahead !== undefined && ahead > 0;
    if (isEarliest) kept.earliest = hit;
    if (isEarliest || newRank || kept.hits.length < MOST_HITS * (attempt + 1)) kept.hits.push(hit);
  }

  /** A collector broke the line before: what missed its pattern there is tried over both. */
  function mend(next: Line): void {
    if (!torn) return;
    const { line, missed } = torn;
    torn = null;
    if (next.source !== line.source) return;
    for (const glue of ["", " "]) {
      const head = line.text.trimEnd();
      const both = head + glue + next.text.trimStart();
      for (const one of missed) {
        const match = one.pattern.exec(both);
        // What stands wholly in one of the two is that line's own.
        const straddles = match !== null && match.index < head.length && match.index + match[0].length > head.length;
        if (straddles) keep(one.rule, { ...line, text: both }, groupsOf(match));
      }
      if (missed.some((one) => byRule.get(one.rule)?.first.line.line === line.line)) return;
    }
  }

  function look(whole: Line): boolean {
    const line = short(whole);
    mend(line);
    const prompt = (PROMPT.exec(line.raw) ?? ZSH_PROMPT.exec(line.raw))?.[1];
    if (prompt !== undefined && prompts.size < MOST_RANKS) prompts.set(line.source, prompt);
    // What a person ran on a node says nothing of the node but at its prompt.
    if (line.host === null && line.rank === null) line.host = prompts.get(line.source) ?? null;
    if (line.rank !== null) ranks.add(line.rank);
    if (line.host !== null && !hosts.has(line.host) && hosts.size < MOST_RANKS) hosts.set(line.host, short(line));
    if (line.host !== null && line.rank !== null && (hostOfRank.size < MOST_RANKS || hostOfRank.has(line.rank))) {
      const known = hostOfRank.get(line.rank);
      hostOfRank.set(line.rank, known === undefined || known === line.host ? line.host : null);
    }
    nodes.look(line);
    attempts.look(line);
    clocks.look(line);
    const missed: Compiled[] = [];
    const isCode = tracebacks.look(line);
    if (!isCode) {
      launchers.look(line);
      setting.look(line);
    }
    for (const one of candidates.of(whole.text)) {
      if (isCode && !saysWhere(one.rule)) continue;
      const match = matchIn(one, whole.text) ?? (whole.raw === whole.text ? null : matchIn(one, whole.raw));
      if (match) keep(one.rule, line, groupsOf(match));
      else if (one.rule.weight === "strong" && !isCode) missed.push(one);
    }
    const more = [series.look(line), experts.look(line)].includes(true);
    torn = missed.length > 0 ? { line, missed } : null;
    return torn !== null || more;
  }

  return {
    look,
    kept: () => [...byRule.values()],
    raised: () => tracebacks.all(),
    series,
    experts,
    ranks,
    hosts,
    hostOfRank,
    nodes,
    launchers,
    setting,
    attempts,
    clocks,
  };
}

/** Of the code that a frame shows only which part of the model it is: it quotes messages, it does not print them. */
function saysWhere({ role, implies }: Rule): boolean {
  return role === "context" && implies?.where !== undefined;
}

/** A pattern may begin anywhere; what it needs of a line stands near its literal. */
function matchIn({ pattern, rule }: Compiled, text: string): RegExpExecArray | null {
  if (text.length <= SEEN) return pattern.exec(text);
  const front = pattern.exec(text.slice(0, SEEN));
  if (front || rule.pattern.startsWith("^")) return front;
  for (const literal of [rule.literal ?? []].flat()) {
    const at = text.indexOf(literal);
    const match = at < 0 ? null : pattern.exec(text.slice(Math.max(0, at - AROUND), at + literal.length + AROUND));
    if (match) return match;
  }
  return null;
}

function groupsOf(match: RegExpExecArray): Record<string, string> {
  const groups: Record<string, string> = {};
  for (const name in match.groups) {
    const value = match.groups[name];
    if (value !== undefined) groups[name] = value;
  }
  return groups;
}

function short(line: Line): Line {
  return line.raw.length <= QUOTE ? line : { ...line, raw: line.raw.slice(0, QUOTE), text: line.text.slice(0, QUOTE) };
}
