// One step of a playbook as a section of its page.
import type { EndStep, PlaybookView, ReadChoice, ReadStep } from "../case/playbook-view.ts";
import { type Html, html, isWebAddress, type Piece } from "./html.ts";
import { type Marked, mark } from "./mark.ts";
import { type Here, linkTo } from "./page.ts";
import { prose } from "./prose.ts";

/** The page a step stands on, for where its answers lead. */
export interface Around {
  here: Here;
  view: PlaybookView;
  /** Titles of all playbooks there are, by id. */
  titles: ReadonlyMap<string, string>;
}

export function stepSection(step: ReadStep, around: Around): Html {
  const { web } = around.here;
  const { id, number, phase, phaseName, title, say, riskName } = step;
  const about: About[] = [
    [web.expect, step.expect, "expect"],
    [web.commonly, step.commonly, "commonly"],
    [web.undo, step.undo, "undo"],
    [web.stop, step.stop, "stop"],
    [web.call, step.call, "call"],
  ];
  return html`<article class="step ${phase}" id="${id}" aria-labelledby="${id}_">
<p class="meta"><span class="phase">${phase && mark(phase)} ${phaseName}</span>${riskName && html` <span class="risk">${riskName}</span>`}</p>
<h3 id="${id}_"><span class="number">${number}</span> ${title}</h3>
<a class="anchor" href="#${id}" aria-label="${web.linkTo(number)}">#<span>${id}</span></a>
${prose(say)}
${step.command !== null && commandBox(step, step.command, around.here)}
${step.script && scriptBox(step.script, around.here)}
${aboutList(about)}
<div class="choices" role="group" aria-label="${web.choices}">
<p class="ask">${web.choices}</p>
<ul>
${step.choices.map((choice) => html`<li>${choiceLink(choice, around)}</li>\n`)}</ul>
</div>
${links(step, around)}
</article>
`;
}

/** Name, text, and the kind of it for its looks. */
type About = [name: string, text: string | null, kind: string];

function aboutList(about: readonly About[]): Piece {
  const told = about.filter(([, text]) => text !== null);
  if (told.length === 0) return null;
  return html`<dl class="about">${told.map(([name, text, kind]) => html`<div class="${kind}"><dt>${name}</dt><dd>${prose(text ?? "")}</dd></div>\n`)}</dl>`;
}

function commandBox({ number, phase, places }: ReadStep, command: string, { web }: Here): Html {
  return html`<div class="command">
<div class="bar"><span>${phase === "fix" ? web.change : web.run}</span>${copyButton(web.copyWhat(number), web)}</div>
<pre><code>${command.split("\n").map((line) => commandLine(line, places))}</code></pre>
${places.length > 0 && html`<p class="places">${web.fillIn} ${places.map((name, at) => html`${at > 0 && ", "}<var>&lt;${name}&gt;</var>`)}</p>`}
</div>`;
}

/** Hidden until the script can do what it promises. */
function copyButton(label: string, web: Here["web"]): Html {
  return html`<button type="button" class="copy" hidden aria-label="${label}" data-done="${web.copied}" data-failed="${web.notCopied}">${web.copy}</button><span class="hidden" role="status"></span>`;
}

/** What a person must fill in stands out; so does what is only said. */
function commandLine(line: string, places: readonly string[]): Html {
  const parts = line.split(/(<[a-z0-9_]+>)/);
  const said = parts.map((part) => (places.includes(part.slice(1, -1)) ? html`<var>${part}</var>` : part));
  return html`<span class="${/^\s*#/.test(line) ? "line comment" : "line"}">${said}\n</span>`;
}

function scriptBox({ name, text }: { name: string; text: string }, { web }: Here): Html {
  return html`<details class="script">
<summary>${web.script(name)}</summary>
<div class="command">
<div class="bar"><span>${name}</span>${copyButton(web.copyScript(name), web)}</div>
<pre><code>${text}</code></pre>
</div>
</details>`;
}

function choiceLink({ label, to }: ReadChoice, { here, view, titles }: Around): Html {
  const next = view.steps.find(({ id }) => id === to);
  if (next) {
    const { number, phase, title } = next;
    return html`<a href="#${to}"><span class="answer">${label}</span> <span class="next">${phase && mark(phase)} ${number}. ${title}</span></a>`;
  }
  const end = view.ends.find(({ id }) => id === to);
  const said = end ? endName(end, { here, titles }) : to;
  return html`<a href="#${to}"><span class="answer">${label}</span> <span class="next">${mark(kindOf(end))} ${said}</span></a>`;
}

function kindOf(end: EndStep | undefined): Marked {
  return end?.hands ? "hands" : "end";
}

/** "Fixed", "With the network team", or where another playbook goes on. */
export function endName(end: EndStep, around: Pick<Around, "here" | "titles">): string {
  return end.title ?? outcomeOf(end, around);
}

function outcomeOf(end: EndStep, { here, titles }: Pick<Around, "here" | "titles">): string {
  if (!end.hands) return end.outcomeName ?? end.id;
  return here.web.goesOn(titles.get(end.hands.playbook) ?? end.hands.playbook);
}

export function endSection(end: EndStep, around: Around): Html {
  const { here, titles } = around;
  const { id, title, say, call, hands, from } = end;
  const goesOn = hands && titles.has(hands.playbook) ? hands : null;
  const place = goesOn && { language: here.language, playbook: goesOn.playbook };
  const said = outcomeOf(end, around);
  const outcome = place ? html`<a href="${linkTo(here, place, goesOn.step)}">${said}</a>` : said;
  return html`<article class="step end" id="${id}" aria-labelledby="${id}_">
${title !== null && html`<p class="meta">${outcome}</p>`}
<h3 id="${id}_">${mark(kindOf(end))} ${title ?? outcome}</h3>
<a class="anchor" href="#${id}" aria-label="${here.web.linkToEnd(endName(end, around))}">#<span>${id}</span></a>
${prose(say)}
${aboutList([[here.web.call, call, "call"]])}
${links({ from, sources: [] }, around)}
</article>
`;
}

/** The way back, and where the advice comes from. */
function links({ from, sources }: { from: readonly number[]; sources: readonly string[] }, around: Around): Piece {
  const { here, view } = around;
  const back = from.map((number) => html` <a href="#${view.steps[number - 1]?.id}">${number}</a>`);
  return html`${from.length > 0 && html`<p class="links from"><span>${here.web.from}</span>${back}</p>`}
${sources.length > 0 && html`<p class="links sources">${here.web.sources} ${sources.map((source, at) => html`${at > 0 && ", "}${sourceLink(source)}`)}</p>`}`;
}

export function sourceLink(source: string): Html {
  if (!isWebAddress(source)) return html`<span>${source}</span>`;
  return html`<a class="source" rel="noreferrer" href="${source}">${source.replace(/^https?:\/\/(?:www\.)?/, "")}</a>`;
}
