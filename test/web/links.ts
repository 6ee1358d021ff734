// What a page links to and what it can be linked at, read from its text.

export interface Linked {
  /** As written. */
  hrefs: string[];
  ids: string[];
}

export function linksOf(page: string): Linked {
  const body = page.replace(/<(style|script)>[\s\S]*?<\/\1>/g, "");
  const all = (pattern: RegExp): string[] => [...body.matchAll(pattern)].map(([, found = ""]) => plain(found));
  return { hrefs: all(/\shref="([^"]*)"/g), ids: all(/\sid="([^"]*)"/g) };
}

function plain(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

export interface Page {
  /** From the top folder. */
  path: string;
  text: string;
}

/** Links of these pages that lead to no page or no anchor of them; links out of the site are not asked. */
export function deadLinks(pages: readonly Page[]): string[] {
  const at = (path: string): string => new URL(path, "http://site/").pathname;
  const anchors = new Map(pages.map(({ path, text }) => [at(path), new Set(linksOf(text).ids)]));
  return pages.flatMap(({ path, text }) =>
    linksOf(text)
      .hrefs.filter((href) => !/^(?:https?|data):/.test(href))
      .filter((href) => {
        const to = new URL(href, `http://site${at(path)}`);
        const there = anchors.get(to.pathname);
        return !there || (to.hash !== "" && !there.has(to.hash.slice(1)));
      })
      .map((href) => `${path}: ${href}`),
  );
}
