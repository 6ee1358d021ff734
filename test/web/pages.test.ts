// What stands on the pages: every word and every move of a playbook, and nothing a playbook could smuggle in.
import { describe, expect, it } from "vitest";
import { playbookView } from "../../src/case/playbook-view.ts";
import { loadCatalog } from "../../src/catalog.ts";
import { LANGUAGES, type Language } from "../../src/facts/language.ts";
import type { Playbook } from "../../src/playbook/schema.ts";
import { createSite, type Site, siteFiles } from "../../src/web/site.ts";
import { ask, end, playbook } from "../case/playbooks.ts";
import { deadLinks, linksOf } from "./links.ts";

const { playbooks } = await loadCatalog();
const shipped = [...playbooks.values()].flatMap((one) =>
  LANGUAGES.map((language) => ({ name: `${one.id} in ${language}`, one, language })),
);
const site = createSite(playbooks);

function pageIn({ page }: Site, language: Language, id?: string): string {
  return page(id === undefined ? `${language}/` : `${language}/playbook/${id}/`) ?? "";
}

/** The text a reader sees, in one line. */
function seen(page: string): string {
  return page
    .replace(/<(style|script|title)>[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]*>/g, "")
    .replace(
      /&(lt|gt|amp|quot|#39);/g,
      (_, name: string) => ({ lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" })[name] ?? "",
    )
    .replace(/\s+/g, " ");
}

/** Lines are folded in files and wrapped on pages. */
const packed = (text: string): string => text.replace(/\s+/g, "");
const withNames = (text: string): string => text.replace(/\{\{\s*(\w+)\s*\}\}/g, "<$1>");
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

function pageOf(one: Playbook): string {
  return pageIn(createSite(new Map([[one.id, one]])), "en", one.id);
}

describe("the page of a playbook", () => {
  it.each(shipped)("says everything its steps say: $name", ({ one, language }) => {
    const page = packed(seen(pageIn(site, language, one.id)));
    const { steps, misses, subcauses = {} } = one.texts[language];
    const texts = [
      misses,
      ...Object.values(steps).flatMap(({ title, say, expect, undo, stop, call, commonly, choices = {} }) => [
        ...[title, say, expect, undo, stop, call, commonly],
        ...Object.values(choices),
      ]),
      ...Object.values(one.steps).map(({ command }) => command),
      ...Object.values(one.scripts),
      ...Object.keys(one.opens ?? {}).map((kind) => subcauses[kind]?.slice(1)),
      ...one.signatures.map((signature) => signature.seen),
    ];

    const missing = texts.filter((text) => text && !page.includes(packed(withNames(text))));

    expect(texts.length).toBeGreaterThan(200);
    expect(missing).toEqual([]);
  });

  it.each(shipped)(
    "draws each asking step once and each answer once, leading where it leads: $name",
    ({ one, language }) => {
      const map = /<section class="map"[\s\S]*?<\/section>/.exec(pageIn(site, language, one.id))?.[0] ?? "";
      const asking = Object.entries(one.steps).filter(([, step]) => step.choices);
      const drawn = map.split('<g class="box ').slice(1);
      const moves = drawn.map((box) => {
        const [own = "", ...rows] = linksOf(box).hrefs.map((href) => href.slice(1));
        return [own, ...rows];
      });

      expect(moves).toEqual(
        asking.map(([id, { choices = {} }]) => [id, ...Object.values(choices).map(({ to }) => to)]),
      );
    },
  );

  it("leaves no sentence out for want of a log, and marks what the log would say", () => {
    const one = playbook("oom", { steps: { where: ask("symptom", { gpu: "fixed" }), fixed: end("fixed") } });
    const say = "Stop it. Pin the checkpoint from before step {{step}}.";
    const texts = { ...one.texts.en, steps: { ...one.texts.en.steps, where: { say } } };

    expect(pageOf({ ...one, texts: { en: texts, zh: texts } })).toContain(
      "Stop it. Pin the checkpoint from before step <var>&lt;step&gt;</var>.",
    );
  });

  it("fills in no fact, and shows which ones the command wants", () => {
    const { steps } = playbook("oom", { steps: { where: ask("symptom", { gpu: "fixed" }), fixed: end("fixed") } });
    const one = playbook("oom", {
      steps: { ...steps, where: { ...steps.where, command: "ssh {{host}} nvidia-smi > <file>" } },
    });

    const page = pageOf(one);

    expect(page).toContain("ssh <var>&lt;host&gt;</var> nvidia-smi &gt; &lt;file&gt;");
    expect(page).toMatch(/Fill in <var>&lt;host&gt;<\/var><\/p>/);
  });

  it("escapes whatever a playbook holds", () => {
    const nasty = `"><script>alert(1)</script><img src=x onerror=alert(1)>' &amp; </style>`;
    const plain = playbook("oom", { steps: { where: ask("symptom", { gpu: "fixed" }), fixed: end("fixed") } });
    const step = Object.fromEntries(
      ["title", "say", "expect", "undo", "stop", "call", "commonly"].map((name) => [name, nasty]),
    );
    const texts = {
      title: nasty,
      symptom: nasty,
      misses: nasty,
      steps: { where: { ...step, choices: { gpu: nasty } }, fixed: { say: nasty } },
      subcauses: { bad: nasty },
    };
    const one: Playbook = {
      ...plain,
      steps: { ...plain.steps, where: { ...plain.steps.where, command: nasty, script: nasty, sources: [nasty] } },
      opens: { bad: "where" },
      scripts: { [nasty]: nasty },
      signatures: [
        { id: "a", pattern: "aaaa", weight: "strong", role: "cause", seen: nasty, source: nasty, subcause: "bad" },
      ],
      texts: { en: texts, zh: texts },
    };

    for (const page of [pageOf(one), pageIn(createSite(new Map([["oom", one]])), "en")]) {
      const body = page.replace(/<style>[\s\S]*?<\/style>/, "").replace(/<script>[\s\S]*<\/script>\s*<\/body>/, "");
      expect(body).not.toMatch(/<script|<img|onerror=(?!alert\(1\)&gt;)|<\/style>/);
      expect(body).toContain("&quot;&gt;&lt;script&gt;alert(1)");
      expect(body).toContain("&amp;amp;");
    }
  });

  it("links no source but an address of the web", () => {
    const plain = playbook("oom", { steps: { where: ask("symptom", { gpu: "fixed" }), fixed: end("fixed") } });
    const sources = ["javascript:alert(1)", "data:text/html,x", "https://docs.example.org/a"];
    const page = pageOf({ ...plain, steps: { ...plain.steps, where: { ...plain.steps.where, sources } } });

    expect(linksOf(page).hrefs.filter((href) => /^(?:javascript|data:text|https)/.test(href))).toEqual([
      "https://docs.example.org/a",
    ]);
    expect(seen(page)).toContain("javascript:alert(1)");
  });

  it("keeps its own anchors apart from those of steps, whatever they are called", () => {
    const names = ["main", "map", "opens", "steps", "ends", "knows", "fit", "arrow", "where"];
    const steps = Object.fromEntries(names.map((name, at) => [name, ask("locate", { next: names[at + 1] ?? "done" })]));
    const { ids } = linksOf(
      pageOf(playbook("oom", { steps: { ...steps, done: end("fixed") }, opens: { any: "main" } })),
    );

    expect(ids).toEqual(expect.arrayContaining([...names, "done"]));
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it("names a kind of failure once, where the program tells two apart that people do not", () => {
    const plain = playbook("oom", {
      steps: { where: ask("symptom", { gpu: "fixed" }), fixed: end("fixed") },
      opens: { "jump-a": "where", "jump-b": "where" },
    });
    const texts = { ...plain.texts.en, subcauses: { "jump-a": "the same jump", "jump-b": "the same jump" } };

    expect(playbookView({ ...plain, texts: { en: texts, zh: texts } }, "en").opens).toEqual([
      { kind: "The same jump", step: "where" },
    ]);
  });

  it("leads on into the playbook that a step hands over to, where it is loaded", () => {
    const from = playbook("nccl", {
      steps: {
        first: ask("symptom", { memory: "to-oom", gone: "to-gone" }),
        "to-oom": { hands: "oom#where" },
        "to-gone": { hands: "gone" },
      },
    });
    const to = playbook("oom", { steps: { where: ask("symptom", { gpu: "fixed" }), fixed: end("fixed") } });
    const both = new Map([from, to].map((one) => [one.id, one]));
    const page = pageIn(createSite(both), "en", "nccl");

    expect(linksOf(page).hrefs).toContain("../../../en/playbook/oom/#where");
    expect(seen(page)).toContain("Goes on in “The oom fault”");
    expect(seen(page)).toContain("Goes on in “gone”");
    expect(linksOf(page).hrefs.filter((href) => href.includes("gone/"))).toEqual([]);
  });
});

describe("the list", () => {
  it.each(LANGUAGES)("names every playbook and every kind of failure, with the step to begin at (%s)", (language) => {
    const page = pageIn(site, language);
    const { hrefs } = linksOf(page);

    for (const one of playbooks.values()) {
      expect(seen(page)).toContain(oneLine(one.texts[language].symptom));
      expect(hrefs).toContain(`../${language}/playbook/${one.id}/`);
      for (const step of Object.values(one.opens ?? {}))
        expect(hrefs).toContain(`../${language}/playbook/${one.id}/#${step}`);
    }
  });
});

describe("the site as files", () => {
  const files = [...siteFiles(playbooks)];

  it("holds every page in every language, and one to choose the language", () => {
    expect(files.map(({ path }) => path).sort()).toEqual(
      [
        "index.html",
        ...LANGUAGES.flatMap((language) => [
          `${language}/index.html`,
          ...[...playbooks.keys()].map((id) => `${language}/playbook/${id}/index.html`),
        ]),
      ].sort(),
    );
  });

  it("has no link that leads nowhere", () => {
    expect(files.flatMap(({ text }) => linksOf(text).hrefs).length).toBeGreaterThan(2000);
    expect(deadLinks(files)).toEqual([]);
  });

  it.each(files.map(({ path, text }) => ({ path, text })))("gives each anchor once: $path", ({ text }) => {
    const { ids } = linksOf(text);

    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it("loads nothing from anywhere", () => {
    for (const { text } of files) expect(text).not.toMatch(/<[^<>]*\s(?:src|srcset|data)=|@import|url\((?!#)/);
  });
});
