// The pages' own script. Without it everything can be read and followed; with it commands are copied with one click,
// the list is searched, and the table of contents shows where one is.

export const SCRIPT = `
"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// Copy: the clipboard where the browser gives it (https, localhost), a selection elsewhere.
async function copy(code) {
  const text = code.textContent.replace(/\\n$/, "");
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {}
  }
  const selection = getSelection();
  selection.selectAllChildren(code);
  const done = document.execCommand("copy");
  if (done) selection.removeAllRanges();
  return done;
}
for (const button of all("button.copy")) {
  const name = button.textContent;
  const said = button.nextElementSibling;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await copy(button.closest(".command").querySelector("code"));
    button.textContent = said.textContent = done ? button.dataset.done : button.dataset.failed;
    setTimeout(() => {
      button.textContent = name;
      said.textContent = "";
    }, 2500);
  });
}

// The other language opens at the same step.
for (const link of all("a.language")) {
  link.addEventListener("click", () => {
    link.hash = location.hash;
  });
}

// The search of the list: a kind is shown where it, or its playbook, holds every word.
const filter = document.getElementById("_filter");
if (filter) {
  const holds = (text, words) => words.every((word) => text.includes(word));
  const lower = (element) => element.textContent.toLowerCase();
  const count = document.getElementById("_found");
  const search = () => {
    const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let found = 0;
    for (const card of all(".card")) {
      const own = lower(card.querySelector(".about"));
      const whole = holds(own, words);
      let some = whole;
      for (const kind of all(".kinds li", card)) {
        const shown = whole || holds(own + " " + lower(kind), words);
        kind.hidden = !shown;
        if (shown) found++;
        some ||= shown;
      }
      card.hidden = !some;
      const kinds = card.querySelector(".kinds");
      if (kinds) kinds.open = words.length > 0;
    }
    count.textContent = words.length ? count.dataset[found === 1 ? "one" : "many"].replace("{n}", found) : "";
  };
  filter.closest(".search").hidden = false;
  filter.addEventListener("input", search);
  if (filter.value) search();
}

// A map that begins further down is shown from its beginning.
const map = document.querySelector(".map-box");
const begin = map?.querySelector(".begin");
if (begin) map.scrollTop = begin.getBoundingClientRect().top - map.getBoundingClientRect().top - 120;

// Where one is, in the table of contents.
const entries = new Map(all(".toc a").map((link) => [link.hash.slice(1), link]));
if (entries.size && "IntersectionObserver" in window) {
  let current;
  const seen = new Set();
  const watch = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) seen[isIntersecting ? "add" : "delete"](target.id);
    const first = [...entries.keys()].find((id) => seen.has(id));
    if (!first || first === current) return;
    entries.get(current)?.removeAttribute("aria-current");
    current = first;
    const link = entries.get(first);
    link.setAttribute("aria-current", "location");
    const list = link.closest("ol");
    const { top, bottom } = link.getBoundingClientRect();
    const box = list.getBoundingClientRect();
    if (top < box.top || bottom > box.bottom) list.scrollTop += top - box.top - box.height / 3;
  }, { rootMargin: "-10% 0px -60% 0px" });
  for (const id of entries.keys()) {
    const step = document.getElementById(id);
    if (step) watch.observe(step);
  }
}
`;
