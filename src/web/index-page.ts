// The list of playbooks, with every kind of failure they know.
import type { PlaybookView } from "../case/playbook-view.ts";
import { type Html, html } from "./html.ts";
import { type Here, linkTo, page } from "./page.ts";

export function indexPage(here: Here, playbooks: readonly PlaybookView[]): string {
  const { web } = here;
  const { index } = web;
  return page({
    here,
    title: `${index.title} · firstfault`,
    description: index.say,
    other: (language) => ({ language, playbook: null }),
    main: html`<div class="intro">
<h1>${index.title}</h1>
<p class="lead">${index.say}</p>
<p class="terminal">${index.terminal} <code>firstfault walk job.log</code></p>
<div class="search" role="search" hidden>
<label for="_filter">${index.filter}</label>
<input type="search" id="_filter" autocomplete="off" spellcheck="false" aria-describedby="_hint">
<p class="hint" id="_hint">${index.filterHint}</p>
<p class="hint" id="_found" role="status" data-one="${index.found.one}" data-many="${index.found.many}"></p>
</div>
</div>
<div class="cards">
${playbooks.map((playbook) => card(here, playbook))}
</div>`,
  });
}

function card(here: Here, { id, language, title, symptom, steps, draft, opens }: PlaybookView): Html {
  const { web } = here;
  return html`<article class="card" aria-labelledby="${id}">
<div class="about">
<h2 id="${id}"><a href="${linkTo(here, { language, playbook: id })}">${title}</a></h2>
<p>${symptom}</p>
<p class="meta"><code>${id}</code> · ${web.steps(steps.length)}${draft && html` · ${web.draft}`}</p>
</div>
${
  opens.length > 0 &&
  html`<details class="kinds">
<summary>${web.index.kinds}</summary>
<ul>
${opens.map(({ kind, step }) => html`<li><a href="${linkTo(here, { language, playbook: id }, step)}">${kind}</a></li>\n`)}</ul>
</details>`
}
</article>
`;
}
