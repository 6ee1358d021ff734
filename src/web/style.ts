// How the pages look: light and dark as the system asks, phone, wide screen and paper. No build, no fonts to load.

const LIGHT = `
  --ground: #fbfaf8; --raised: #ffffff; --sunk: #f3f1ed; --ink: #1c2024; --soft: #565d66; --line: #dedad3;
  --link: #17527f; --focus: #0b62b0; --mark: #fff3c9;
  --symptom: #85510a; --symptom-ground: #fbf1df;
  --locate: #1a5588; --locate-ground: #e8f0f8;
  --fix: #6a3b94; --fix-ground: #f2ebf8;
  --verify: #1d6640; --verify-ground: #e6f3eb;
  --end: #4b525a; --end-ground: #eeedea;
  --risk: #9a3412; --risk-ground: #fdeee6;`;

const DARK = `
  --ground: #14171a; --raised: #1b1f24; --sunk: #101316; --ink: #e5e7ea; --soft: #a3abb5; --line: #343a42;
  --link: #8fc1ee; --focus: #8fc1ee; --mark: #4a3f16;
  --symptom: #e8b566; --symptom-ground: #2c2414;
  --locate: #8abdf0; --locate-ground: #17273a;
  --fix: #cba6f0; --fix-ground: #2a2038;
  --verify: #82cfa2; --verify-ground: #16301f;
  --end: #b5bcc5; --end-ground: #262b31;
  --risk: #f5a37c; --risk-ground: #3a2016;`;

const PHASES = ["symptom", "locate", "fix", "verify", "end"];

const BASE = `
:root { color-scheme: light dark; ${LIGHT}
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
}
:root:lang(zh) {
  --sans: system-ui, -apple-system, "Segoe UI", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace;
}
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-behavior: smooth; scroll-padding-top: 1.25rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.6 var(--sans); overflow-wrap: break-word; }
:lang(zh) body { line-height: 1.75; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; margin: 0; }
h1 { font-size: clamp(1.6rem, 1.2rem + 1.8vw, 2.3rem); letter-spacing: -.015em; }
h2 { font-size: 1.4rem; margin: 3rem 0 .6rem; letter-spacing: -.01em; }
h3 { font-size: 1.15rem; }
:lang(zh) :is(h1, h2, h3) { letter-spacing: 0; text-wrap: wrap; }
p { margin: .5rem 0; text-wrap: pretty; }
ul, ol { padding: 0; margin: 0; list-style: none; }
a { color: var(--link); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
code, pre { font-family: var(--mono); font-size: .9em; }
:not(pre) > code { background: var(--sunk); border: 1px solid var(--line); border-radius: 4px; padding: .05em .3em; overflow-wrap: anywhere; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--raised); padding: .7rem 1rem; z-index: 3; border-radius: 0 0 8px 8px; }
.skip:focus { top: 0; }
.top { display: flex; justify-content: space-between; align-items: center; gap: 1rem; padding: .5rem clamp(1rem, 4vw, 3rem); border-bottom: 1px solid var(--line); }
.top a { display: inline-flex; align-items: center; min-height: 2.75rem; padding: 0 .25rem; }
.brand { font-weight: 700; color: var(--ink); text-decoration: none; letter-spacing: -.01em; }
main, .foot { padding: 0 clamp(1rem, 4vw, 3rem); max-width: 90rem; margin: 0 auto; }
.foot { color: var(--soft); font-size: .875rem; padding-top: 2rem; padding-bottom: 3rem; }
.intro { max-width: 46rem; padding-top: clamp(1.5rem, 4vw, 3rem); }
.lead { font-size: 1.15rem; margin: .6rem 0 .8rem; }
.meta, .hint, .links { color: var(--soft); font-size: .9rem; }
.terminal code { display: inline-block; max-width: 100%; }
.mark { width: .8em; height: .8em; fill: currentColor; flex: none; vertical-align: -.04em; }
${PHASES.map((phase) => `.mark.${phase} { color: var(--${phase}); }`).join("\n")}
.mark.hands { color: var(--end); }
`;

const INDEX = `
.search { margin: 1.5rem 0 0; }
.search label { display: block; font-weight: 600; margin-bottom: .3rem; }
.search input { width: 100%; max-width: 30rem; min-height: 2.9rem; font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--soft); border-radius: 8px; padding: .4rem .8rem; }
.search .hint { margin: .3rem 0 0; }
#_found:empty { display: none; }
.cards { display: grid; gap: 1.25rem; margin: 2rem 0; }
.card { background: var(--raised); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem clamp(1rem, 3vw, 1.6rem) 1rem; min-width: 0; }
.card h2 { margin: 0 0 .4rem; font-size: 1.2rem; }
.card h2 a { color: var(--ink); text-decoration-color: var(--line); }
.card h2 a:hover { color: var(--link); text-decoration-color: currentColor; }
.kinds { border-top: 1px solid var(--line); margin-top: .6rem; }
.kinds ul { columns: 15rem; column-gap: 1.5rem; padding-bottom: .4rem; }
.kinds li { break-inside: avoid; }
summary { cursor: pointer; min-height: 2.75rem; display: flex; align-items: center; gap: .5rem; font-weight: 600; font-size: .9rem; }
summary::before { content: ""; border: .3em solid transparent; border-left-color: currentColor; border-right-width: 0; margin-left: .2em; transition: rotate .12s; }
summary::-webkit-details-marker { display: none; }
details[open] > summary::before { rotate: 90deg; }
.kinds li a, .opens li a { display: flex; align-items: center; min-height: 2.25rem; padding: .25rem .5rem; margin: 0 -.5rem; border-radius: 6px; font-size: .94rem; text-decoration: none; line-height: 1.35; }
:is(.kinds, .opens) li a:hover { background: var(--sunk); text-decoration: underline; }
`;

const STEPS = `
.opens ul { columns: 17rem; column-gap: 2rem; max-width: 70rem; }
.opens li { break-inside: avoid; }
.columns { display: block; }
.contents { margin: 2rem 0 1rem; }
.toc { background: var(--raised); border: 1px solid var(--line); border-radius: 10px; padding: 0 1rem; }
.toc ol { padding-bottom: .75rem; }
.toc a { display: grid; grid-template-columns: auto 1.9em 1fr; align-items: baseline; gap: .4rem; padding: .45rem .4rem; border-radius: 6px; color: var(--ink); text-decoration: none; font-size: .9rem; line-height: 1.35; }
.toc a:hover { background: var(--sunk); text-decoration: underline; }
.toc a[aria-current] { background: var(--locate-ground); font-weight: 600; }
.toc .number { color: var(--soft); text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; font-weight: 400; }
.steps { min-width: 0; max-width: 50rem; }
.step { position: relative; background: var(--raised); border: 1px solid var(--line); border-left: 5px solid var(--tone, var(--end)); border-radius: 10px; padding: 1.1rem clamp(1rem, 3vw, 1.6rem) 1.2rem; margin: 1.25rem 0; min-width: 0; }
${PHASES.map((phase) => `.${phase} { --tone: var(--${phase}); --tone-ground: var(--${phase}-ground); }`).join("\n")}
.step:target { box-shadow: 0 0 0 3px var(--tone); }
.step > .meta { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 3rem .35rem 0; }
.step .phase { color: var(--tone); font-weight: 650; display: inline-flex; align-items: center; gap: .4em; }
.risk { background: var(--risk-ground); color: var(--risk); border-radius: 99px; padding: 0 .7em; font-weight: 600; }
.step h3 { margin-right: 2.5rem; }
.step h3 .number { color: var(--tone); font-variant-numeric: tabular-nums; margin-right: .15em; }
.anchor { position: absolute; top: .55rem; right: .6rem; min-width: 2.5rem; min-height: 2.5rem; display: grid; place-items: center; color: var(--soft); text-decoration: none; font-weight: 600; border-radius: 8px; }
.anchor:hover { background: var(--sunk); color: var(--link); }
.anchor span { display: none; }
.command { margin: .9rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--sunk); overflow: hidden; }
.bar { display: flex; justify-content: space-between; align-items: center; gap: 1rem; padding: 0 .3rem 0 .9rem; font-size: .85rem; color: var(--soft); border-bottom: 1px solid var(--line); min-height: 2.75rem; }
.copy { font: inherit; font-weight: 600; color: var(--link); background: none; border: 0; border-radius: 6px; min-height: 2.75rem; min-width: 4.5rem; padding: 0 .8rem; cursor: pointer; }
.copy:hover { background: var(--raised); }
pre { margin: 0; padding: .8rem .9rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; line-height: 1.55; tab-size: 4; }
pre code { font-size: 1em; }
.line { display: block; padding-left: 1.5em; text-indent: -1.5em; }
.comment { color: var(--soft); }
var { font-style: normal; background: var(--mark); border-radius: 3px; padding: 0 .1em; }
.places { margin: 0; padding: 0 .9rem .7rem; font-size: .85rem; color: var(--soft); }
.places var { font-family: var(--mono); color: var(--ink); }
dl.about { margin: .9rem 0; display: grid; gap: .55rem; }
dl.about > div { display: grid; grid-template-columns: 7.5rem 1fr; gap: .1rem .9rem; }
dt { color: var(--soft); font-size: .9rem; font-weight: 600; padding-top: .05em; }
dd { margin: 0; min-width: 0; }
dd p { margin: 0 0 .3rem; }
.commonly dd { border-left: 3px solid var(--line); padding-left: .8rem; }
.choices { margin-top: 1.1rem; }
.ask { font-weight: 600; font-size: .9rem; color: var(--soft); margin: 0 0 .35rem; }
.choices ul { display: grid; gap: .4rem; }
.choices a { display: grid; grid-template-columns: 1fr 1fr; gap: .1rem 1rem; align-items: center; min-height: 2.9rem; padding: .45rem .9rem; border: 1px solid var(--line); border-radius: 8px; text-decoration: none; color: var(--ink); line-height: 1.4; }
.choices a:hover { border-color: var(--link); background: var(--sunk); }
.choices .answer { font-weight: 600; }
.choices .next { color: var(--soft); font-size: .9rem; }
.links { margin: .8rem 0 0; font-size: .85rem; }
.from { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem; }
.from a { min-width: 2rem; min-height: 2rem; display: grid; place-items: center; border: 1px solid var(--line); border-radius: 6px; text-decoration: none; font-variant-numeric: tabular-nums; }
.from a:hover { border-color: var(--link); }
.source { overflow-wrap: anywhere; }
.step.end { border-left-width: 1px; }
.step.end h3 { font-size: 1.05rem; display: flex; align-items: center; gap: .5em; }
.knows h3 { margin: 1.6rem 0 .5rem; font-size: 1rem; }
.knows li { border-top: 1px solid var(--line); padding: .6rem 0; }
.knows pre { padding: 0; background: none; font-size: .82rem; }
.knows li p { margin: .2rem 0 0; font-size: .82rem; color: var(--soft); }
`;

const MAP = `
.map-head { max-width: 46rem; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: .9rem; margin: .6rem 0; }
.legend li { display: inline-flex; align-items: center; gap: .45em; }
.flag { color: var(--risk); fill: var(--risk); }
.map-tools { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; align-items: center; font-size: .9rem; }
.map-tools label { display: inline-flex; align-items: center; gap: .5em; min-height: 2.75rem; cursor: pointer; }
.map-tools input { width: 1.15rem; height: 1.15rem; accent-color: var(--link); }
.skip-map { display: inline-flex; align-items: center; min-height: 2.75rem; }
.map-box { overflow: auto; max-height: min(80vh, 60rem); border: 1px solid var(--line); border-radius: 12px; background: var(--sunk); }
.map-box svg { display: block; margin: .5rem; }
.map:has(#_fit:checked) .map-box { max-height: none; }
.map:has(#_fit:checked) svg { width: calc(100% - 1rem); height: auto; }
svg text { font-family: var(--sans); font-size: 11.5px; fill: var(--ink); }
svg .ground { fill: var(--raised); stroke: var(--tone); stroke-width: 1.5; }
svg .head { fill: var(--tone-ground); fill-opacity: 1; clip-path: inset(1px 1px 0 1px round 5px 5px 0 0); }
svg .symptom .head { clip-path: inset(1px 1px 0 1px round 13px 13px 0 0); }
svg .fix .head { clip-path: inset(1px 1px 0 1px); }
svg text.phase { fill: var(--tone); font-weight: 650; font-size: 11.5px; }
svg text.title { font-size: 13px; font-weight: 650; }
svg text.flag { text-anchor: end; font-size: 13px; fill: var(--risk); }
svg text.jump { text-anchor: end; fill: var(--soft); font-weight: 650; font-variant-numeric: tabular-nums; }
svg .box .mark { fill: var(--tone); }
svg .row .mark { fill: var(--soft); }
svg .row rect { fill: transparent; }
svg .rule { stroke: var(--line); }
svg .wire { fill: none; stroke: var(--soft); stroke-width: 1.4; }
svg .begin { fill: var(--ink); }
svg marker path { fill: var(--soft); }
svg .box:hover .wire { stroke: var(--tone); stroke-width: 2; }
svg .row:hover .wire { stroke-width: 3.5; }
svg .row:hover rect { fill: var(--tone-ground); }
svg a:hover .title { text-decoration: underline; }
svg a:focus-visible { outline: none; }
svg a:focus-visible .head { stroke: var(--focus); stroke-width: 4; }
`;

const WIDE = `
@media (min-width: 68rem) {
  .columns { display: grid; grid-template-columns: 19rem minmax(0, 50rem); gap: 3rem; align-items: start; }
  .contents { position: sticky; top: 1rem; margin-top: 1.25rem; }
  .card { display: grid; grid-template-columns: 20rem minmax(0, 1fr); gap: 2.5rem; }
  @supports selector(::details-content) {
    .kinds { border: 0; margin: 0; }
    .kinds summary { display: none; }
    .kinds::details-content { content-visibility: visible; display: block; block-size: auto; }
    .toc::details-content { content-visibility: visible; display: block; block-size: auto; }
    .toc summary { pointer-events: none; }
    .toc summary::before { display: none; }
    .toc ol { max-height: calc(100vh - 6rem); overflow: auto; overscroll-behavior: contain; margin: 0 -.6rem; padding: 0 .2rem .6rem; }
  }
}
@media (min-width: 96rem) { .map-box { margin-inline: calc((100% - min(100vw - 6rem, 140rem)) / 2); width: fit-content; max-width: min(100vw - 6rem, 140rem); } }
@media (max-width: 40rem) {
  dl.about > div, .choices a { grid-template-columns: 1fr; }
  .step { border-radius: 8px; }
  .map-box { max-height: 65vh; }
  .map-tools label { display: none; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } summary::before { transition: none; } }
`;

const PAPER = `
@media print {
  :root { ${LIGHT} --ground: #fff; --sunk: #fff; }
  html { font-size: 10pt; }
  .opens li a, .kinds li a { margin: 0; padding: .1rem 0; min-height: 0; }
  .top nav, .skip, .search, .contents, .copy, .map-tools, .terminal { display: none !important; }
  main, .foot, .steps, .intro { max-width: none; padding: 0; }
  .columns { display: block; }
  .step { break-inside: avoid; box-shadow: none !important; }
  h2, h3 { break-after: avoid; }
  .anchor { position: static; display: block; min-height: 0; color: var(--soft); font-weight: 400; font-size: 9pt; }
  .anchor span { display: inline; }
  .map { break-before: page; break-after: page; }
  .map-box { overflow: visible; max-height: none; border: 0; }
  .map-box svg { width: 100%; height: auto; max-height: 22cm; margin: 0; }
  a { color: inherit; }
  details:not([open])::details-content { content-visibility: visible; block-size: auto; }
}
`;

export const STYLE = [BASE, INDEX, STEPS, MAP, WIDE, PAPER].join("");
