// What every page has around its content. Addresses are relative, so that the pages work under any prefix and as files.
import { createHash } from "node:crypto";
import { playbookPath } from "../case/address.ts";
import { LANGUAGES, type Language } from "../facts/language.ts";
import type { Words } from "../locale/en.ts";
import type { WebWords } from "../locale/web-en.ts";
import { webWordsFor } from "../locale/web-words.ts";
import { wordsFor } from "../locale/words.ts";
import { type Html, html, ours, type Piece } from "./html.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

// Steps and playbooks have the plain anchors; whatever the pages need besides has a "_", which their names cannot have.

/** A page there is: the list of playbooks, or one playbook. */
export interface Place {
  language: Language;
  playbook: string | null;
}

/** Where a page stands, and what language it speaks. */
export interface Here {
  language: Language;
  words: Words;
  web: WebWords;
  /** The way up to the top folder: "../../../". */
  root: string;
  /** As files: links name the file, since a disk has no index pages. */
  files: boolean;
}

export function pathOf({ language, playbook }: Place): string {
  return playbook === null ? `${language}/` : playbookPath(language, playbook);
}

/** `path` is without its first slash. */
export function hereAt(path: string, { language, files }: { language: Language; files: boolean }): Here {
  const root = "../".repeat(path.split("/").length - 1) || "./";
  return { language, words: wordsFor(language), web: webWordsFor(language), root, files };
}

export function linkTo({ root, files }: Here, place: Place, step?: string | null): string {
  return `${root}${pathOf(place)}${files ? "index.html" : ""}${step ? `#${step}` : ""}`;
}

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Nothing is loaded from anywhere; the page's own style and script are known by their hashes. */
export const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src ${hash(STYLE)}`,
  `script-src ${hash(SCRIPT)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%231f5c8a'/%3E%3Cpath d='M4 3.5h8M4 8h5M4 12.5h2' stroke='white' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E";

export interface PageOf {
  here: Here;
  title: string;
  description: string;
  /** The same page in another language. */
  other(language: Language): Place;
  main: Html;
  foot?: Piece;
}

export function page({ here, title, description, other, main, foot }: PageOf): string {
  const { web, language } = here;
  const others = LANGUAGES.filter((one) => one !== language).map((one) => {
    const { htmlLang, name } = webWordsFor(one);
    return { href: linkTo(here, other(one)), htmlLang, name };
  });
  const whole = html`<!doctype html>
<html lang="${web.htmlLang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${ours(ICON)}">
${others.map(({ href, htmlLang }) => html`<link rel="alternate" hreflang="${htmlLang}" href="${href}">\n`)}<style>${ours(STYLE)}</style>
</head>
<body>
<a class="skip" href="#_main">${web.skip}</a>
<header class="top">
<a class="brand" href="${linkTo(here, { language, playbook: null })}">firstfault</a>
<nav aria-label="${web.languages}">${others.map(({ href, htmlLang, name }) => html`<a class="language" lang="${htmlLang}" hreflang="${htmlLang}" href="${href}">${name}</a>`)}</nav>
</header>
<main id="_main" tabindex="-1">
${main}
</main>
<footer class="foot">${foot}</footer>
<script>${ours(SCRIPT)}</script>
</body>
</html>
`;
  return whole.html;
}
