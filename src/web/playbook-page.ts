// The page of one playbook: what it is, the map, every step, where it ends, and the lines it knows.
import type { KnownLine, PlaybookView } from "../case/playbook-view.ts";
import { type Html, html, type Piece } from "./html.ts";
import { mapSection } from "./map.ts";
import { mark } from "./mark.ts";
import { type Here, page } from "./page.ts";
import { type Around, endName, endSection, sourceLink, stepSection } from "./step-section.ts";

export function playbookPage(around: Around): string {
  const { here, view } = around;
  const { web } = here;
  return page({
    here,
    title: `${view.title} · firstfault`,
    description: view.symptom,
    other: (language) => ({ language, playbook: view.id }),
    main: html`${intro(here, view)}
${mapSection(around)}
<div class="columns">
${contents(around)}
<div class="steps">
<h2 class="hidden" id="_steps">${web.toc}</h2>
${view.steps.map((step) => stepSection(step, around))}
<h2 id="_ends">${web.ends}</h2>
${view.ends.map((end) => endSection(end, around))}
${known(here, view)}
</div>
</div>`,
    foot: web.footer(view.id, view.version),
  });
}

function intro({ web }: Here, view: PlaybookView): Html {
  const { id, title, symptom, misses, version, draft, steps, opens } = view;
  return html`<div class="intro">
<h1>${title}</h1>
<p class="lead">${symptom}</p>
<p class="meta"><code>${id}</code> · ${web.version(version)} · ${web.steps(steps.length)}${draft && html` · ${web.draft}`}</p>
<p><strong>${web.misses}</strong> ${misses}</p>
<p>${web.places.before} <var>&lt;rank&gt;</var> ${web.places.after}</p>
<p class="terminal">${web.terminal} <code>firstfault walk --playbook ${id} job.log</code></p>
</div>
${
  opens.length > 0 &&
  html`<section class="opens" aria-labelledby="_opens">
<h2 id="_opens">${web.opens}</h2>
<p>${web.opensSay} <a href="#${view.start}">${web.begin(steps.find((step) => step.id === view.start)?.number ?? 1)}</a></p>
<ul>
${opens.map(({ kind, step }) => html`<li><a href="#${step}">${kind}</a></li>\n`)}</ul>
</section>`
}`;
}

/** Closed on narrow screens, where the steps follow at once; always open beside them on wide ones. */
function contents(around: Around): Html {
  const { web } = around.here;
  const { steps, ends } = around.view;
  return html`<nav class="contents" aria-label="${web.toc}">
<details class="toc">
<summary>${web.toc}</summary>
<ol>
${steps.map(({ id, number, title, phase, phaseName }) => html`<li><a href="#${id}">${phase && mark(phase)}<span class="hidden">${phaseName}</span> <span class="number">${number}</span> <span>${title}</span></a></li>\n`)}${ends.map((end) => html`<li><a href="#${end.id}">${mark(end.hands ? "hands" : "end")} <span class="number"></span> <span>${endName(end, around)}</span></a></li>\n`)}</ol>
</details>
</nav>`;
}

function known({ web }: Here, { knows }: PlaybookView): Piece {
  if (knows.length === 0) return null;
  return html`<section class="knows" aria-labelledby="_knows">
<h2 id="_knows">${web.knows}</h2>
<p>${web.knowsSay}</p>
${knows.map(
  ({ kind, lines }) => html`<h3>${kind ?? web.noKind}</h3>
<ul>
${lines.map((line) => knownLine(line, web))}</ul>`,
)}
</section>`;
}

function knownLine({ seen, role, against, source }: KnownLine, web: Here["web"]): Html {
  return html`<li><pre><code>${seen}</code></pre><p>${against ? web.against : web.role[role]} · ${sourceLink(source)}</p></li>
`;
}
