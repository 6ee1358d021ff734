// All pages there are, each made at the first look at it and kept: playbooks do not change while the program runs.
import { type PlaybookView, playbookView } from "../case/playbook-view.ts";
import { LANGUAGES, type Language } from "../facts/language.ts";
import type { Playbook } from "../playbook/schema.ts";
import { indexPage } from "./index-page.ts";
import { rootPage } from "./notices.ts";
import { hereAt, type Place, pathOf } from "./page.ts";
import { playbookPage } from "./playbook-page.ts";

export interface Site {
  places: readonly Place[];
  /** The whole page. */
  render(place: Place): string;
  views(language: Language): readonly PlaybookView[];
}

/** `files`: for a disk, where a link must name the file. */
export function createSite(playbooks: ReadonlyMap<string, Playbook>, { files = false } = {}): Site {
  const views = lazily((language: Language) => [...playbooks.values()].map((one) => playbookView(one, language)));
  const titles = lazily((language: Language) => new Map(views(language).map(({ id, title }) => [id, title])));
  const render = lazily((path: string) => {
    const place = places.find((one) => pathOf(one) === path);
    if (!place) throw new Error(`there is no page ${path}`);
    const here = hereAt(path, { language: place.language, files });
    const view = views(place.language).find(({ id }) => id === place.playbook);
    return view ? playbookPage(here, { view, titles: titles(place.language) }) : indexPage(here, views(place.language));
  });
  const places: Place[] = LANGUAGES.flatMap((language) =>
    [null, ...playbooks.keys()].map((playbook) => ({ language, playbook })),
  );
  return { places, views, render: (place) => render(pathOf(place)) };
}

/** Path and text of every file of a site that needs no program. */
export function* siteFiles(playbooks: ReadonlyMap<string, Playbook>): Generator<{ path: string; text: string }> {
  const site = createSite(playbooks, { files: true });
  yield { path: "index.html", text: rootPage() };
  for (const place of site.places) yield { path: `${pathOf(place)}index.html`, text: site.render(place) };
}

function lazily<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(key);
    made.set(key, fresh);
    return fresh;
  };
}
