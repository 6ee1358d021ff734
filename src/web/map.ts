// The compiled machine as a drawing: SVG in the page, every box and answer a link.
import { type Html, html, type Piece } from "./html.ts";
import { BOX, layoutMap, type MapBox, type MapRow } from "./map-layout.ts";
import { type Marked, mark, markPath } from "./mark.ts";
import type { Here } from "./page.ts";
import { type Around, endName } from "./step-section.ts";

export function mapSection(around: Around): Html {
  const { here, view } = around;
  const { map, skipMap } = here.web;
  const drawn = layoutMap(view);
  return html`<section class="map">
<div class="map-head">
<h2 id="_map">${map.title}</h2>
<p>${map.say}</p>
${legend(here)}
<p class="map-tools"><label><input type="checkbox" id="_fit"> ${map.fit}</label> <a class="skip-map" href="#_steps">${skipMap}</a></p>
</div>
<div class="map-box" role="region" tabindex="0" aria-labelledby="_map">
<svg width="${drawn.width}" height="${drawn.height}" viewBox="0 0 ${drawn.width} ${drawn.height}">
<defs><marker id="_arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0l8 4l-8 4z"/></marker></defs>
${drawn.boxes.map((box) => boxOf(box, around))}
</svg>
</div>
</section>`;
}

function legend({ words, web }: Here): Html {
  const phases = (["symptom", "locate", "fix", "verify"] as const).map((phase) => [phase, words.phase[phase]] as const);
  const marks: (readonly [Marked, string])[] = [...phases, ["end", web.map.end], ["hands", web.map.hands]];
  return html`<ul class="legend" aria-label="${web.map.legend}">
${marks.map(([marked, name]) => html`<li>${mark(marked)} ${name}</li>\n`)}<li><span class="flag" aria-hidden="true">▸</span> ${web.map.opens}</li>
</ul>`;
}

function boxOf({ step, x, y, height, title, rows, opens }: MapBox, around: Around): Html {
  const { id, number, phase, phaseName } = step;
  const head = rows[0]?.top ?? height;
  return html`<g class="box ${phase}" transform="translate(${x} ${y})">
${id === around.view.start && html`<path class="wire" d="M-20 15h19" marker-end="url(#_arrow)"/><circle class="begin" cx="-25" cy="15" r="5"/>`}
<rect class="ground" width="${BOX.width}" height="${height}" rx="${phase === "symptom" ? 14 : phase === "fix" ? 0 : 6}"/>
<a href="#${id}">
<rect class="head" width="${BOX.width}" height="${head}" rx="6"/>
<path class="mark ${phase}" transform="translate(${BOX.pad} 9)" d="${phase && markPath(phase)}"/>
<text class="phase" x="${BOX.pad + 18}" y="19">${phaseName} · ${number}</text>
${opens && html`<text class="flag" x="${BOX.width - BOX.pad}" y="19">▸<title>${around.here.web.map.opens}</title></text>`}
${textLines(title, { className: "title", x: BOX.pad, top: BOX.head, step: BOX.titleLine })}
</a>
${rows.map((row) => rowOf(row, { x, y }, around))}
</g>
`;
}

function rowOf(row: MapRow, at: { x: number; y: number }, around: Around): Html {
  const { choice, lines, top, height, wire } = row;
  const middle = top + height / 2;
  return html`<a class="row" href="#${choice.to}" tabindex="-1">
<title>${choice.label}</title>
<rect width="${BOX.width}" height="${height}" y="${top}"/>
<path class="rule" d="M0 ${top}h${BOX.width}"/>
${textLines(lines, { className: "answer", x: BOX.pad, top: top + 1, step: BOX.rowLine })}
${wire ? html`<path class="wire" d="${curve(wire, at)}" marker-end="url(#_arrow)"/>` : target(choice.to, middle, around)}
</a>`;
}

/** Where an answer leads that has no line: a number to jump to, or an end. */
function target(to: string, middle: number, { here, view, titles }: Around): Html {
  const right = BOX.width - BOX.pad;
  const next = view.steps.find(({ id }) => id === to);
  if (next) return html`<text class="jump" x="${right}" y="${middle + 4}">→ ${next.number}</text>`;
  const end = view.ends.find(({ id }) => id === to);
  const name = end && endName(end, { here, titles });
  const marked = end?.hands ? "hands" : "end";
  return html`<g class="end"><path class="mark ${marked}" transform="translate(${right - 12} ${middle - 6})" d="${markPath(marked)}"/><title>${name}</title></g>`;
}

function curve({ from, to }: NonNullable<MapRow["wire"]>, { x, y }: { x: number; y: number }): string {
  const [x1, y1] = [from[0] - x, from[1] - y];
  const [x2, y2] = [to[0] - x - 1, to[1] - y];
  const bend = (x2 - x1) * 0.55;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

function textLines(
  lines: readonly string[],
  { className, x, top, step }: { className: string; x: number; top: number; step: number },
): Piece {
  return lines.map(
    (line, at) => html`<text class="${className}" x="${x}" y="${top + (at + 1) * step - 2}">${line}</text>`,
  );
}
