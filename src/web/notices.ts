// Pages that are about no playbook: the choice of a language, and an address that leads nowhere.
import type { PlaybookView } from "../case/playbook-view.ts";
import { LANGUAGES } from "../facts/language.ts";
import { webWordsFor } from "../locale/web-words.ts";
import { html } from "./html.ts";
import { type Here, hereAt, linkTo, page } from "./page.ts";

/** The top of a site of plain files, which cannot ask the browser for its language. */
export function rootPage(): string {
  const here = hereAt("", { language: "en", files: true });
  const both = LANGUAGES.map((language) => ({ language, words: webWordsFor(language) }));
  return page({
    here,
    title: "firstfault",
    description: both.map(({ words }) => words.index.title).join(" · "),
    other: (language) => ({ language, playbook: null }),
    main: html`<div class="intro">
<h1>firstfault</h1>
<ul class="languages">
${both.map(({ language, words }) => html`<li lang="${words.htmlLang}"><a href="${linkTo(here, { language, playbook: null })}">${words.index.title}</a> (${words.name})</li>\n`)}</ul>
</div>`,
  });
}

export function notFoundPage(here: Here, playbooks: readonly PlaybookView[]): string {
  const { language, web } = here;
  const { title, say, operator } = web.notFound;
  return page({
    here,
    title: `${title} · firstfault`,
    description: say,
    other: (other) => ({ language: other, playbook: null }),
    main: html`<div class="intro">
<h1>${title}</h1>
<p class="lead">${say}</p>
<ul class="languages">
${playbooks.map(({ id, title: name }) => html`<li><a href="${linkTo(here, { language, playbook: id })}">${name}</a></li>\n`)}<li><a href="${linkTo(here, { language, playbook: null })}">${web.allPlaybooks}</a></li>
</ul>
<p class="hint">${operator}</p>
</div>`,
  });
}
