// The story under the headline, what is not known, and what is said at the end. Plain text; renderers escape it.
import type { Quote } from "../diagnose/verdict-type.ts";
import type { Fact } from "../facts/fact.ts";
import type { Label } from "../facts/signature.ts";
import type { Words } from "../locale/en.ts";
import { kindName, number, type Told, who } from "./headline.ts";
import { gaveUp, plainLine } from "./plain-line.ts";

import type { SettledLine, StoryLine, View } from "./view-type.ts";

export const STORY_LINES = 4;

/** Where a line stands, said for people: "line 214", "node3.log:7". */
export type Where = (at: { source: number; line: number }) => string;

/** The root first, then how the others followed, then what else the log says: four lines at most. */
export function story(told: Told, quotes: readonly Quote[], where: Where): StoryLine[] {
  const { verdict, language } = told;
  const { root, cascade } = verdict;
  const isRoot = (quote: Quote): boolean =>
    root !== null && quote.at.line === root.at.line && quote.at.source === root.at.source;
  const asked = memoryAsked(told);
  const lines: StoryLine[] = [];
  if (root && asked !== null) lines.push({ time: root.time, say: asked, at: where(root.at) });
  if (cascade) {
    const at =
      verdict.secondary.find((one) => one.lines.length > 0)?.lines[0] ??
      quotes.find((quote) => quote.role === "consequence")?.at ??
      root?.at;
    lines.push({ time: null, say: cascade.why[language], at: at ? where(at) : "" });
  }
  const seen = new Set<string>();
  const rest = quotes.flatMap((quote) => {
    const at = where(quote.at);
    // The cascade's sentence stands for all who gave up, and the memory's numbers for the line they are from.
    const said = isRoot(quote)
      ? asked !== null || (cascade !== null && gaveUp(quote) !== null)
      : cascade !== null && quote.role === "consequence";
    if (said || seen.has(at)) return [];
    seen.add(at);
    return [{ line: quoted(quote, where, told.words), root: isRoot(quote) }];
  });
  const first = rest.filter((one) => one.root).map((one) => one.line);
  const others = rest.filter((one) => !one.root).map((one) => one.line);
  return [...first, ...lines, ...others].slice(0, STORY_LINES);
}

function quoted(quote: Quote, where: Where, words: Words): StoryLine {
  const at = where(quote.at);
  return { ...plainLine(quote, words), at: quote.count > 1 ? words.at.more(at, quote.count - 1) : at };
}

/** A number that decides is shown with what it is compared with. */
function memoryAsked(told: Told): string | null {
  const { facts, verdict, words } = told;
  const tried = size(facts.tried_alloc_gib, facts.tried_alloc_mib);
  if (verdict.label !== "oom" || tried === null) return null;
  const free = size(facts.free_gib, facts.free_mib);
  const asked = words.story.memory(who(told) ?? words.who.somebody, tried, free, size(facts.gpu_total_gib, undefined));
  return words.tidy(asked);
}

/** Two places, as allocators print them. */
function size(gib: Fact | undefined, mib: Fact | undefined): string | null {
  const inGib = number(gib);
  if (inGib !== null) return `${inGib.toFixed(2)} GiB`;
  const inMib = number(mib);
  return inMib === null ? null : `${inMib.toFixed(2)} MiB`;
}

/** A loss, a balance and a checkpoint are everybody's; a memory failure or another fault is one rank's. */
const RANK_MATTERS: ReadonlySet<Label> = new Set<Label>(["oom", "nccl-timeout", "other"]);

/** The rank where no prefix told it, or what would tell two faults apart; and what is wrong with the clocks. */
export function notKnown(told: Told): string | null {
  const { verdict, words, language } = told;
  const open: string[] = [];
  const { root, runner_up } = verdict;
  if (runner_up) {
    open.push(words.notKnown.separate(words.label[runner_up.label], runner_up.would_separate[language]));
  } else if (root?.role === "first-symptom" && !verdict.would_tell) {
    open.push(words.notKnown.cause);
  } else if (
    RANK_MATTERS.has(verdict.label) &&
    root?.role === "cause" &&
    who(told) === null &&
    verdict.input.sources.length < 2
  ) {
    open.push(words.notKnown.rank);
  }
  const said = open.length > 0 ? words.sentence(words.notKnown.say(open.join("; "))) : null;
  // Wrong clocks matter where one thing is said to come before another.
  const clock = verdict.cascade || runner_up ? (verdict.clock?.[language] ?? null) : null;
  return [said, clock].filter(Boolean).join(" ") || null;
}

/** "confirmed · out of memory · activation peak" */
export function standing(told: Told): string {
  const { verdict, words } = told;
  return [words.status[verdict.status], words.label[verdict.label], kindName(told)].filter(Boolean).join(" · ");
}

/** At the end: what it was, what was done, and how that was seen to hold. */
export function atTheEnd(given: {
  headline: string;
  fix: SettledLine | undefined;
  verify: SettledLine | undefined;
  own: string;
  /** The end's own text for another team, where it has one. */
  call: string | null;
  words: Words;
}): string {
  const { headline, fix, verify, own, call, words } = given;
  return [
    words.ended.was(headline),
    fix && words.ended.fixedBy(fix.say),
    verify && words.ended.held(verify.say),
    own,
    call && words.ended.send(call),
  ]
    .filter(Boolean)
    .join("\n");
}

/** What another team gets: the answer, the story, what was found, and the lines themselves. */
export function handOffText(view: View, words: Words): string {
  const bullets = (lines: string[]): string => lines.map((line) => `- ${line}`).join("\n");
  const at = (line: { say: string; at: string }): string => line.say + (line.at ? words.aside(line.at) : "");
  return [
    `${words.escalation.head}\n${view.headline}`,
    bullets(view.story.map((line) => (line.time ? `${line.time}  ${at(line)}` : at(line)))),
    view.notKnown,
    view.history.length > 0 && `${words.escalation.found}:\n${bullets(view.history.map(at))}`,
    view.step?.call,
    view.evidence.length > 0 &&
      `${words.escalation.lines}:\n${view.evidence.map((line) => `${line.at}: ${line.quote}`).join("\n")}`,
    words.heading(words.escalation.receipt, view.receipt),
  ]
    .filter(Boolean)
    .join("\n\n");
}
