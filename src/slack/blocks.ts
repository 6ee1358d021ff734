// View -> Block Kit, within all of Slack's limits. Pure; the only place that knows how a case looks in Slack.
import { addressOf, caseAddress } from "../case/address.ts";
import type { StepView, View } from "../case/view-type.ts";
import type { SlackWords } from "../locale/slack-en.ts";
import { slackWordsFor } from "../locale/slack-words.ts";
import { wordsFor } from "../locale/words.ts";
import { actionRows, moreMenu } from "./buttons.ts";
import { type Block, lines, preformatted, type Span, small, weight } from "./rich.ts";
import { clip, escapeSlack, isUserId } from "./text.ts";

export interface Message {
  /** What a notification shows; Slack reads markup in it, so it is escaped. */
  text: string;
  blocks: Block[];
  metadata?: { event_type: string; event_payload: Record<string, string | number> };
}

/** One part of the message, and how early it goes when all do not fit: 0 never goes. */
interface Part {
  goes: number;
  block: Block;
}

/** Slack refuses about 13 200 characters together. */
const BUDGET = 12_000;
/** The most that one text takes here; Slack's own limit for it is 3 000. */
const TEXT = 2900;
/** How much of a step's own text is shown, shorter and shorter until the message fits. */
const LONGEST = [TEXT, 1500, 600, 200];

/** `baseUrl` is the public address of the web pages, where there is one. */
export function toMessage(view: View, baseUrl: string | null = null): Message {
  const words = slackWordsFor(view.language);
  const buttons = [...actionRows(view, words), ...moreMenu(view, words)];
  const budget = BUDGET - weight(buttons);
  let blocks: Block[] = [];
  for (const longest of LONGEST) {
    const parts = [...answerParts(view, words), ...stepParts(view, words, longest), ...endParts(view, longest)];
    blocks = fit([...parts, ...pageParts(view, words, baseUrl)], budget);
    if (weight(blocks) <= budget) break;
  }
  return {
    text: clip(escapeSlack(clip(view.headline, 500)), 1000),
    blocks: [...blocks, ...buttons],
    metadata: {
      event_type: "firstfault_case",
      event_payload: {
        case: view.case,
        label: view.label ?? "",
        playbook: view.step?.id.split("#")[0] ?? "",
        step: view.step?.id ?? "",
        receipt: view.receipt,
        outcome: view.ended?.outcome ?? "",
        seq: view.seq,
      },
    },
  };
}

/** The answer, what it rests on, what is not known. */
function answerParts(view: View, words: SlackWords): Part[] {
  const story = view.story
    .slice(0, 4)
    .map(({ time, say, at }): Span[] => [
      ...(time ? [{ text: `${clip(time, 40)}  ` }] : []),
      { text: clip(say, 400) },
      ...(at ? [{ text: `   ${clip(at, 120)}`, italic: true }] : []),
    ]);
  const first = [[{ text: clip(view.headline, 600), bold: true }], ...story];
  const parts: Part[] = [{ goes: 0, block: lines(first) }];
  if (view.notKnown) parts.push({ goes: 5, block: lines([[{ text: clip(view.notKnown, 600) }]]) });
  parts.push({ goes: 6, block: small(view.standing) });
  if (view.again) parts.push({ goes: 5, block: lines([[{ text: clip(view.again, 300) }]]) });
  if (view.owner) {
    parts.push({
      goes: 4,
      block: lines([
        [{ text: words.owner }, isUserId(view.owner) ? { user: view.owner } : { text: clip(view.owner, 100) }],
      ]),
    });
  }
  if (view.settled.length > 0) {
    const said = view.settled
      .slice(-6)
      .map(({ say, at }): Span[] => [
        { text: clip(say, 300) },
        ...(at ? [{ text: `   ${clip(at, 120)}`, italic: true }] : []),
      ]);
    said.at(-1)?.push({ text: `  (${words.wrongBack})` });
    parts.push({ goes: 3, block: lines(said) });
  }
  for (const problem of view.problems.slice(0, 4))
    parts.push({ goes: 2, block: lines([[{ text: clip(problem, 500), italic: true }]]) });
  return parts;
}

function stepParts(view: View, words: SlackWords, longest: number): Part[] {
  const { step } = view;
  if (!step || view.ended) return [];
  const title = step.phaseName ? wordsFor(view.language).heading(step.phaseName, step.title) : step.title;
  const head: Span[] = [{ text: clip(title, 300), bold: true }];
  if (step.riskName) head.push({ text: `   ${clip(step.riskName, 100)}`, italic: true });
  const parts: Part[] = [{ goes: 0, block: lines([head, ...(step.say ? [[{ text: clip(step.say, longest) }]] : [])]) }];
  if (step.commonly)
    parts.push({
      goes: 7,
      block: lines([[{ text: words.commonly, italic: true }, { text: clip(step.commonly, 900) }]]),
    });
  if (step.command) parts.push(...commandParts(step.command, step, words));
  const about: [string, string | null, number][] = [
    [words.expect, step.expect, 8],
    // Before anything that cannot simply be done again, how to undo it stays to the last.
    [words.undo, step.undo, 1],
    [words.stop, step.stop, 9],
    [words.call, step.call, 10],
  ];
  for (const [name, said, goes] of about)
    if (said) parts.push({ goes, block: lines([[{ text: name, italic: true }, { text: clip(said, 900) }]]) });
  return parts;
}

/** Half a command is worse than none: one that does not fit is named, not cut. */
function commandParts(command: string, step: StepView, words: SlackWords): Part[] {
  if (command.length > TEXT) return [{ goes: 0, block: preformatted(`${words.commandCut} '${step.id}'`) }];
  return [
    { goes: 0, block: lines([[{ text: step.phase === "fix" ? words.change : words.run }]]) },
    { goes: 0, block: preformatted(command) },
  ];
}

function endParts(view: View, longest: number): Part[] {
  if (!view.ended) return [];
  const { title, say } = view.ended;
  return [
    {
      goes: 0,
      block: lines([[{ text: clip(title, 300), bold: true }], ...(say ? [[{ text: clip(say, longest) }]] : [])]),
    },
  ];
}

/** The step on its page, among the others, and the case as it stands now, for whoever is sent there. */
function pageParts(view: View, words: SlackWords, baseUrl: string | null): Part[] {
  const { step, language } = view;
  if (!step || baseUrl === null) return [];
  const page = { text: words.page, url: addressOf({ base: baseUrl, language, at: step.id }) };
  const own = { text: words.caseLink, url: caseAddress({ base: baseUrl, id: view.case, seq: view.seq }) };
  return [{ goes: 11, block: lines([[page, { text: "   " }, own]]) }];
}

/** Drops what matters least until the rest fits. */
function fit(parts: readonly Part[], budget: number): Block[] {
  const left = [...parts];
  while (weight(left.map((part) => part.block)) > budget) {
    const goes = Math.max(...left.map((part) => part.goes));
    if (goes === 0) break;
    left.splice(
      left.findLastIndex((part) => part.goes === goes),
      1,
    );
  }
  return left.map((part) => part.block);
}

/** The lines behind the claims, for one person. */
export function linesMessage(view: View): Message {
  const words = slackWordsFor(view.language);
  if (view.evidence.length === 0) return sayMessage(words.noLines);
  let room = BUDGET - 500;
  const shown: string[] = [];
  for (const { at, quote } of view.evidence) {
    const line = `${clip(at, 120)}: ${clip(quote, 1000)}`;
    if (line.length + 1 > room) break;
    room -= line.length + 1;
    shown.push(line);
  }
  const chunks: string[] = [];
  for (const line of shown) {
    const last = chunks.at(-1);
    if (last !== undefined && last.length + line.length + 1 <= TEXT) chunks[chunks.length - 1] = `${last}\n${line}`;
    else chunks.push(line);
  }
  const sources = (view.step?.sources ?? []).filter((source) => /^https?:\/\/[^\s|<>]+$/.test(source)).slice(0, 5);
  return {
    text: escapeSlack(words.showLines),
    blocks: [
      ...chunks.map((chunk) => preformatted(chunk)),
      ...(sources.length > 0 ? [small(clip(sources.join("   "), 400))] : []),
    ],
  };
}

/** One sentence of ours, with a person before it where one is meant. */
export function sayMessage(text: string, person?: string): Message {
  return {
    text: `${person ? `<@${person}>` : ""}${escapeSlack(text)}`,
    blocks: [lines([[...(person ? [{ user: person }] : []), { text }]])],
  };
}

/** What somebody gave us by a command, for all to see. */
export function askedMessage(given: string, person: string, words: SlackWords): Message {
  return {
    text: `<@${person}>${escapeSlack(words.command.asked)}`,
    blocks: [lines([[{ user: person }, { text: words.command.asked }]]), preformatted(clip(given, TEXT))],
  };
}

/** One sentence of ours to one person, with a link and a button behind it where there are such. */
export function offerMessage(
  text: string,
  offer: { link?: { text: string; url: string } | null; button: Block },
): Message {
  const { link, button } = offer;
  return {
    text: escapeSlack(text),
    blocks: [lines([[{ text: link ? `${text} ` : text }, ...(link ? [link] : [])]]), button],
  };
}

/** A long text from us, such as what another team gets: in pieces to copy. */
export function textMessage(text: string): Message {
  const pieces: string[] = [];
  for (let rest = clip(text, BUDGET - 500); rest.length > 0; ) {
    const cut = rest.length <= TEXT ? rest.length : Math.max(rest.lastIndexOf("\n", TEXT), TEXT / 2);
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut).replace(/^\n/, "");
  }
  // Slack refuses a message with nothing in it.
  const all = pieces.length > 0 ? pieces : [""];
  return { text: clip(escapeSlack(clip(text, 300)), 1000), blocks: all.map((piece) => preformatted(piece)) };
}
