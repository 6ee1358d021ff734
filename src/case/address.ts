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
  const address = new URL(playbookPath(language, playbook), withSlash(base));
  if (step) address.hash = step;
  return address.href;
}

/** A case as it stood after entry `seq`. Leads to its thread in Slack. */
export function caseAddress({ base, id, seq }: { base: string; id: string; seq: number }): string {
  return new URL(`case/${encodeURIComponent(id)}/${seq}`, withSlash(base)).href;
}

export type Addressed =
  | { kind: "playbook"; language: Language; playbook: string; step: string | null }
  | { kind: "case"; id: string; seq: number };

/** What an address of ours leads to; null for any other. */
export function readAddress(url: string, base: string): Addressed | null {
  if (!URL.canParse(url)) return null;
  const { origin, pathname, hash } = new URL(url);
  const home = new URL(withSlash(base));
  if (origin !== home.origin || !pathname.startsWith(home.pathname)) return null;
  const path = pathname.slice(home.pathname.length);
  const [, language, playbook = ""] = /^(en|zh)\/playbook\/([a-z0-9-]{1,100})\/?$/.exec(path) ?? [];
  if (language === "en" || language === "zh")
    return { kind: "playbook", language, playbook, step: /^#([a-z0-9-]{1,100})$/.exec(hash)?.[1] ?? null };
  return readCasePath(path);
}

/** "case/<id>/<seq>", below the public address. */
export function readCasePath(path: string): Extract<Addressed, { kind: "case" }> | null {
  const [, id, seq] = /^case\/([A-Za-z0-9-]{1,100})\/(\d{1,6})$/.exec(path) ?? [];
  return id === undefined ? null : { kind: "case", id, seq: Number(seq) };
}

function withSlash(base: string): string {
  return base.endsWith("/") ? base : `${base}/`;
}
