// View -> text for a terminal. Pure; every text of the view is made safe here, since logs are written by strangers.
import type { Opened } from "../case/opening.ts";
import { openingView } from "../case/opening-view.ts";
import { safe } from "../case/safe-text.ts";
import type { SettledLine, StepView, StoryLine, View } from "../case/view-type.ts";
import type { Playbooks } from "../case/walk.ts";
import type { Verdict } from "../diagnose/verdict-type.ts";
import type { Words } from "../locale/en.ts";
import { wordsFor } from "../locale/words.ts";
import { widthOf, wrap } from "./width.ts";

export interface Terminal {
  columns: number;
  color: boolean;
}

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 110;
const NARROWEST = 40;

interface Page {
  columns: number;
  words: Words;
  bold(text: string): string;
  dim(text: string): string;
  warn(text: string): string;
}

/** The whole screen: the answer, the story, what was just settled, one step. */
export function render(view: View, terminal: Terminal): string {
  const page = pageFor(view, terminal);
  return blocks([head(view, page), moved(view, page), step(view, page), ended(view, page)]);
}

/** What changed since the screen before: in a terminal that one is still there. */
export function renderNext(view: View, terminal: Terminal): string {
  const page = pageFor(view, terminal);
  return blocks([moved(view, page), step(view, page), ended(view, page)]);
}

/** What `diagnose` prints: the same first screen, the receipt, and the way on. */
export function renderVerdict(given: {
  verdict: Verdict;
  hashes: readonly string[];
  opened: Opened;
  playbooks: Playbooks;
  lang: "en" | "zh";
  io: Terminal;
}): string {
  const { verdict, hashes, opened, playbooks, lang, io } = given;
  const view = openingView({ verdict, inputs: hashes, rules: "", playbooks, hash: () => "" }, lang);
  const page = pageFor(view, io);
  const { words } = page;
  const way = view.step ? [words.terminal.walkOn] : [];
  const foot = [...way, words.heading(words.escalation.receipt, opened.receipt)].map(page.dim).join("\n");
  return blocks([head(view, page), moved(view, page), step(view, page, false), foot]);
}

/** The lines behind the claims. */
export function renderLines(view: View, terminal: Terminal): string {
  const { words, dim } = pageFor(view, terminal);
  if (view.evidence.length === 0) return `${words.terminal.noLines}\n`;
  return `${view.evidence.map(({ at, quote }) => `${dim(`${safe(at)}:`)} ${safe(quote)}`).join("\n")}\n`;
}

function pageFor(view: View, { columns, color }: Terminal): Page {
  const paint = (code: string) => (text: string) => (color && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    // Some terminals say they have no columns at all.
    columns: Math.max(NARROWEST, Math.min(columns || WIDEST, WIDEST)),
    words: wordsFor(view.language),
    bold: paint("1"),
    dim: paint("2"),
    warn: paint("33"),
  };
}

function blocks(all: readonly string[]): string {
  return `${all.filter((block) => block !== "").join("\n\n")}\n`;
}

function head(view: View, page: Page): string {
  const { columns, bold, dim } = page;
  const lines = [
    ...wrap(safe(view.headline), columns).map(bold),
    ...view.story.flatMap((line) => storyLine(line, page)),
    ...(view.notKnown ? indented(view.notKnown, page) : []),
    ...(view.standing ? [dim(`  ${safe(view.standing)}`)] : []),
  ];
  return lines.join("\n");
}

/** Time, text, and at the right edge where it stands; below the text where there is no room. */
function storyLine({ time, say, at }: StoryLine, page: Page): string[] {
  return withPlace(`${time === null ? "" : `${time}  `}${say}`, at, page);
}

function withPlace(say: string, at: string, { columns, dim }: Page): string[] {
  const place = safe(at);
  const lines = wrap(safe(say), columns - 4).map((line, index) => (index === 0 ? `  ${line}` : `    ${line}`));
  if (place === "") return lines;
  const last = lines.at(-1) ?? "";
  const gap = columns - widthOf(last) - widthOf(place);
  if (gap < 2) return [...lines, `    ${dim(place)}`];
  return [...lines.slice(0, -1), last + " ".repeat(gap) + dim(place)];
}

function indented(text: string, { columns }: Page, by = 2): string[] {
  return wrap(safe(text), columns - by).map((line) => " ".repeat(by) + line);
}

/** What a paste or the evidence settled, with the way back beside it; and what contradicts. */
function moved(view: View, page: Page): string {
  const { words, dim, warn } = page;
  const settled = view.settled.flatMap((line: SettledLine) => withPlace(line.say, line.at, page));
  if (settled.length > 0 && !view.ended) settled.push(dim(`  ${words.aside(words.terminal.wrong).trim()}`));
  return [...settled, ...view.problems.flatMap((problem) => indented(problem, page).map(warn))].join("\n");
}

function step(view: View, page: Page, answers = true): string {
  const one = view.step;
  if (!one || (view.ended && one.choices.length === 0)) return "";
  const { columns, words, bold, warn } = page;
  const title = safe(one.phaseName ? words.heading(one.phaseName, one.title) : one.title);
  const lines = [
    ...wrap(title, columns).map(bold),
    ...(view.ended ? [] : indented(one.say, page)),
    ...(one.riskName ? indented(riskOf(one, words), page).map(warn) : []),
    ...(one.command
      ? ["", `  ${one.phase === "fix" ? words.terminal.change : words.terminal.run}`, ...command(one.command), ""]
      : []),
    ...asides(one, page),
    ...(answers ? choices(one, page) : []),
  ];
  return lines.join("\n").replace(/\n\n+/g, "\n\n");
}

/** Before anything that changes a run or a cluster or loses work: what it changes, and how to undo it. */
function riskOf({ riskName, undo }: StepView, words: Words): string {
  return words.tidy(words.terminal.risky(riskName ?? "") + (undo === null ? "" : ` ${words.terminal.undo} ${undo}`));
}

/** A command is never wrapped: it is there to be copied. */
function command(text: string): string[] {
  return safe(text)
    .split("\n")
    .map((line) => `      ${line}`);
}

function asides(one: StepView, page: Page): string[] {
  const { words } = page;
  const pairs: [string, string | null][] = [
    ["", one.script && words.terminal.script(`playbooks/${one.id.split("#")[0]}/scripts/${one.script.name}`)],
    [words.terminal.expect, one.expect],
    ["", one.commonly],
    [words.terminal.undo, one.riskName ? null : one.undo],
    [words.terminal.stop, one.stop],
    [words.terminal.call, one.call],
  ];
  return pairs.flatMap(([name, said]) =>
    said === null ? [] : indented(words.tidy(name === "" ? said : `${name} ${said}`), page),
  );
}

function choices(one: StepView, { columns }: Page): string[] {
  return one.choices.flatMap(({ label }, index) => {
    const [first = "", ...rest] = wrap(safe(label), columns - 6);
    const number = `${index + 1})`.padStart(4);
    return [...(index === 0 ? [""] : []), `${number} ${first}`, ...rest.map((line) => `     ${line}`)];
  });
}

function ended(view: View, page: Page): string {
  if (!view.ended) return "";
  const { bold, words, dim } = page;
  const lines = [
    bold(safe(view.ended.title)),
    ...indented(view.ended.say, page),
    dim(`  ${words.heading(words.escalation.receipt, view.receipt)}`),
  ];
  return lines.join("\n");
}
