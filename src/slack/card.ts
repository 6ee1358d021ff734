// A playbook as a card in a channel: what it is for, its first step, and the way to its page. Pure.
import { addressOf } from "../case/address.ts";
import type { PlaybookView } from "../case/playbook-view.ts";
import { slackWordsFor } from "../locale/slack-words.ts";
import type { Message } from "./blocks.ts";
import { type Block, lines, preformatted, type Span } from "./rich.ts";
import { clip, escapeSlack } from "./text.ts";

/** Half a command is worse than none. */
const LONGEST_COMMAND = 2900;

/** `baseUrl` is the public address of the web pages, where there is one. */
export function playbookCard(playbook: PlaybookView, baseUrl: string | null): Message {
  const { id, title, symptom, language, start } = playbook;
  const words = slackWordsFor(language);
  const first = playbook.steps.find((step) => step.id === start);
  const blocks: Block[] = [lines([[{ text: clip(title, 300), bold: true }], [{ text: clip(symptom, 1500) }]])];
  if (first) {
    const name = first.phaseName ? `${first.phaseName}: ${first.title}` : first.title;
    const say: Span[][] = first.say ? [[{ text: clip(first.say, 2000) }]] : [];
    blocks.push(lines([[{ text: clip(name, 300), bold: true }], ...say]));
    if (first.command && first.command.length <= LONGEST_COMMAND) blocks.push(preformatted(first.command));
  }
  if (baseUrl !== null)
    blocks.push(lines([[{ text: words.command.page, url: addressOf({ base: baseUrl, language, at: id }) }]]));
  return { text: escapeSlack(clip(title, 300)), blocks };
}
