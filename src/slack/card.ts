// A playbook as a card in a channel: what it is for, its first step, and the way to its page. Pure.
import { addressOf } from "../case/address.ts";
import type { PlaybookView, ReadStep } from "../case/playbook-view.ts";
import type { View } from "../case/view-type.ts";
import type { Language } from "../facts/language.ts";
import { slackWordsFor } from "../locale/slack-words.ts";
import { wordsFor } from "../locale/words.ts";
import type { Message } from "./blocks.ts";
import { type Block, lines, preformatted, type Span, small } from "./rich.ts";
import { clip, escapeSlack } from "./text.ts";

/** Half a command is worse than none. */
const LONGEST_COMMAND = 2900;

/** `baseUrl` is the public address of the web pages, where there is one. */
export function playbookCard(playbook: PlaybookView, baseUrl: string | null): Message {
  const { id, title, symptom, language, start } = playbook;
  const words = slackWordsFor(language);
  const first = playbook.steps.find((step) => step.id === start);
  const blocks: Block[] = [lines([[{ text: clip(title, 300), bold: true }], [{ text: clip(symptom, 1500) }]])];
  if (first) blocks.push(...stepBlocks(first, language));
  if (baseUrl !== null)
    blocks.push(lines([[{ text: words.command.page, url: addressOf({ base: baseUrl, language, at: id }) }]]));
  return { text: escapeSlack(clip(title, 300)), blocks };
}

/** One step of a playbook, under the playbook's name. */
export function stepCard(playbook: PlaybookView, step: ReadStep): Block[] {
  return [small(playbook.title), ...stepBlocks(step, playbook.language)];
}

function stepBlocks({ phaseName, title, say, command }: ReadStep, language: Language): Block[] {
  const name = phaseName ? wordsFor(language).heading(phaseName, title) : title;
  const said: Span[][] = say ? [[{ text: clip(say, 2000) }]] : [];
  const blocks = [lines([[{ text: clip(name, 300), bold: true }], ...said])];
  if (command && command.length <= LONGEST_COMMAND) blocks.push(preformatted(command));
  return blocks;
}

/** A case as it stood at a moment, and what came of it since. */
export function caseCard(then: View, now: View, at: string): Block[] {
  const words = slackWordsFor(then.language);
  const stood = ({ ended, step }: View): string => clip(ended?.title ?? step?.title ?? "", 300);
  const since = now.seq > then.seq ? words.superseded(stood(now)) : "";
  return [
    lines([[{ text: clip(then.headline, 600), bold: true }], [{ text: stood(then) }]]),
    small(`${then.standing}   ${words.asOf(at)}${since}`),
  ];
}
