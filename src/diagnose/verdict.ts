// Claims -> who failed first, what followed -> verdict. Any finds at all give one; "unknown" is a verdict.
import type { Label } from "../facts/signature.ts";
import { lastFailed } from "./attempts.ts";
import { cascadeOf } from "./cascade.ts";
import { type Claim, claimsOf, playbookOf } from "./claims.ts";
import { isBefore, ordered, settleClocks } from "./clocks.ts";
import { faultCertainty } from "./confidence.ts";
import { type Odd, oddOneOut } from "./desync.ts";
import type { Seen } from "./evidence.ts";
import { type Found as FoundFacts, moreFacts, rootFacts } from "./facts-of.ts";
import type { Finds } from "./finds.ts";
import type { Line } from "./lines.ts";
import { type Judged, quiet, saidFault, type Told, unknownFault } from "./no-root.ts";
import { putNumbers } from "./numbers.ts";
import { firstOfOverflows } from "./overflows.ts";
import { kindOf, type TextKind } from "./quiet.ts";
import type { Sample } from "./reader.ts";
import { redact } from "./redact.ts";
import { rootOf } from "./root.ts";
import type { Rules } from "./rules.ts";
import { putSaid } from "./said.ts";
import { quotesOf, rangesOf, redacted, refOf, rivalOf, rootView, secondaryOf, wouldTell } from "./shown.ts";
import type { Verdict } from "./verdict-type.ts";
import { whoWaits } from "./waiting.ts";
import { rankOfRoot, settleHost, settleRanks, stepBefore } from "./who.ts";
import { readReport, readWords } from "./words.ts";

export interface Found {
  finds: Finds;
  sample: Sample;
  rules: Rules;
  input: { sources: string[]; lines: number; bytes: number; cut_lines: number };
}

/** Words that read less like a report than this are talk. */
const ABOUT = 0.1;

export function judge({ finds: all, sample: given, rules, input }: Found): Verdict {
  const clock = settleClocks(all);
  const finds = lastFailed(all, ordered);
  // What reads like prose must not hang on how a secret looks: it is judged as it would be with all of them taken out.
  const cleaned = redact(given.lines.map((line) => line.text).join("\n"));
  const texts = cleaned.text.split("\n");
  const sample: Sample = {
    ...given,
    lines: given.lines.map((line, at) => ({ ...line, text: texts[at] ?? line.text })),
  };
  const first = kindOf(sample);
  const claims = claimsOf(finds, first);
  // A log that begins with its arguments is a log: what fails below them is no setting.
  const kind = first.quiet === "config" && claims.some((claim) => claim.strong) ? { ...first, quiet: null } : first;
  const base = {
    clock,
    language: kind.language,
    input: {
      ...input,
      ranks_seen: rangesOf(finds.ranks),
      redacted: cleaned.counts,
    },
  };
  const found = kind.quiet ? undefined : rootOf(claims, kind);
  const root = found && (isOnlyQuoted(found, kind, rules) || isTalkedOf(found, kind, rules)) ? undefined : found;
  const seen: Seen = { claims, finds, sample, kind };
  const told = (found: FoundFacts, label: Label): void => putSaid(found, sample, kind.prose, label);
  if (root) return { ...fault(root, seen, told), ...base };
  // Settings may be what a person adds to a report; a diff or green tests are no such thing.
  const mayReport = kind.quiet === null || kind.quiet === "config" || kind.quiet === "code";
  const words = mayReport && kind.words !== "" ? readReport(kind.words, rules) : undefined;
  const said = words ? saidFault({ words, kind, claims, finds, told, rules, sample }) : undefined;
  if (said) return { ...said, ...base };
  const unknown = kind.quiet ? undefined : unknownFault(claims, finds, kind);
  if (unknown) return { ...unknown, ...base };
  return { ...quiet(words, seen), ...base };
}

/** A mail's "> " in front of the line, and words around it that report no trouble: somebody talks about a message. */
function isOnlyQuoted(root: Claim, kind: TextKind, rules: Rules): boolean {
  if (kind.words === "" || !root.lines.every(isBareQuote)) return false;
  return (readWords(kind.words, rules)?.report ?? 1) < ABOUT;
}

/** Numbers among the sentences of somebody who reports no trouble: a change, a comparison, a question. */
function isTalkedOf(root: Claim, kind: TextKind, rules: Rules): boolean {
  if (root.strong || kind.machine > 0 || kind.prose.size < 2) return false;
  return (readWords(kind.words, rules)?.report ?? 1) < ABOUT;
}

/** With a rank, a host or a time in front it is a log all the same. */
function isBareQuote(line: Line): boolean {
  return /^\s*> /.test(line.raw) && line.rank === null && line.host === null && Object.keys(line.times).length === 0;
}

function fault(root: Claim, seen: Seen, told: Told): Judged {
  const { claims, finds } = seen;
  const odd = root.label === "nccl-timeout" && root.role === "consequence" ? oddOneOut(finds) : undefined;
  if (odd) root.line = odd.hit.line;
  if (root.subcause === "scale-collapse") root.line = firstOfOverflows(finds, root.line);
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
  const late = waiting.late.length + waiting.unfinished.length > 0;
  const { rival, ...certainty } = faultCertainty(root, late, seen);
  const playbook = playbookOf(root);
  const subcause =
    root.subcause ??
    claims.find((claim) => playbookOf(claim) === playbook && claim.subcause !== null)?.subcause ??
    null;
  return {
    label: root.label,
    ...certainty,
    playbook,
    subcause,
    secondary: secondaryOf(root, claims),
    root: rootView(root),
    said: null,
    cascade,
    facts: redacted(facts),
    runner_up: rival ? rivalOf(rival, root) : null,
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
