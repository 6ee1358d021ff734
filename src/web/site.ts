// All pages there are, each made at the first look at it and kept: playbooks do not change while the program runs.
import { type PlaybookView, playbookView } from "../case/playbook-view.ts";
import { LANGUAGES, type Language } from "../facts/language.ts";
import type { Playbook } from "../playbook/schema.ts";
import { indexPage } from "./index-page.ts";
import { rootPage } from "./notices.ts";
import { hereAt, type Place, pathOf } from "./page.ts";
import { playbookPage } from "./playbook-page.ts";

export interface Site {
  /** From the top folder: "en/playbook/oom/". */
  paths: readonly string[];
  /** The whole page; undefined where there is none. */
  page(path: string): string | undefined;
  views(language: Language): readonly PlaybookView[];
}

/** `files`: for a disk, where a link must name the file. */
export function createSite(playbooks: ReadonlyMap<string, Playbook>, { files = false } = {}): Site {
  const places = new Map<string, Place>();
  for (const language of LANGUAGES) {
    for (const playbook of [null, ...playbooks.keys()])
      places.set(pathOf({ language, playbook }), { language, playbook });
  }
  const views = lazily((language: Language) => [...playbooks.values()].map((one) => playbookView(one, language)));
  const titles = lazily((language: Language) => new Map(views(language).map(({ id, title }) => [id, title])));
  const page = lazily((path: string) => {
    const place = places.get(path);
    if (!place) return undefined;
    const { language, playbook } = place;
    const here = hereAt(path, { language, files });
    const view = views(language).find(({ id }) => id === playbook);
    return view ? playbookPage({ here, view, titles: titles(language) }) : indexPage(here, views(language));
  });
  return { paths: [...places.keys()], page, views };
}

/** Path and text of every file of a site that needs no program. */
export function* siteFiles(playbooks: ReadonlyMap<string, Playbook>): Generator<{ path: string; text: string }> {
  const { paths, page } = createSite(playbooks, { files: true });
  yield { path: "index.html", text: rootPage() };
  for (const path of paths) yield { path: `${path}index.html`, text: page(path) ?? "" };
}

function lazily<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(key);
    // What there is not is not kept: anyone can ask for anything.
    if (fresh !== undefined) made.set(key, fresh);
    return fresh;
  };
}
