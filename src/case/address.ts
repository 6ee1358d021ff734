// Where a playbook and its steps are read on the web. Slack, terminals and the pages themselves make addresses here.
import type { Language } from "../facts/language.ts";

/** Under the public address, with a slash behind it: a server of plain files needs no rule for it. */
export function playbookPath(language: Language, playbook: string): string {
  return `${language}/playbook/${playbook}/`;
}

export interface AddressOf {
  /** The public address of the pages (FIRSTFAULT_BASE_URL). */
  base: string;
  language: Language;
  /** "oom", or a step of it: "oom#where". */
  at: string;
}

/** The whole address of a playbook's page, or of a step on it. */
export function addressOf({ base, language, at }: AddressOf): string {
  const [playbook = "", step] = at.split("#");
  const address = new URL(playbookPath(language, playbook), base.endsWith("/") ? base : `${base}/`);
  if (step) address.hash = step;
  return address.href;
}
