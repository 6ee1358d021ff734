// What a person types -> the text that Slack hands to an app: escaped, with links and mentions in angle brackets.

export interface Names {
  /** By the name that people type after @. */
  people: ReadonlyMap<string, string>;
  /** By the name that people type after #. */
  channels: ReadonlyMap<string, string>;
}

const ADDRESS =
  /(?<url>\bhttps?:\/\/[^\s<>|`"']{1,2000}[^\s<>|`"'.,;:!?)\]}])|(?<mail>\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b)|(?<host>\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.(?:com|org|net|io|ai|dev)\b(?::\d{1,5})?(?![\w./@-]))/g;
const MENTION = /(?<![\w@/])@([\w.-]{1,80})|(?<![\w#/&;])#([a-z0-9_-]{1,80})/g;
const EVERYONE = new Set(["here", "channel", "everyone"]);

/** In code nobody is mentioned, but addresses become links all the same. */
export function asSlackWrites(typed: string, names: Names): string {
  const escaped = escapeText(typed);
  return escaped
    .split("```")
    .map((piece, at) => (at % 2 === 1 ? link(piece) : mention(link(piece), names)))
    .join("```");
}

export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function link(text: string): string {
  return text.replace(ADDRESS, (all, ...rest) => {
    const { url, mail } = rest.at(-1) as { url?: string; mail?: string };
    if (url) return `<${url}>`;
    if (mail) return `<mailto:${mail}|${mail}>`;
    return `<http://${all}|${all}>`;
  });
}

function mention(text: string, { people, channels }: Names): string {
  return text
    .split(/(<[^<>]*>)/)
    .map((piece) => (piece.startsWith("<") ? piece : piece.replace(MENTION, named)))
    .join("");

  function named(all: string, person?: string, channel?: string): string {
    if (person && EVERYONE.has(person)) return `<!${person}>`;
    const user = people.get(person ?? "");
    if (user) return `<@${user}>`;
    const id = channels.get(channel ?? "");
    return id ? `<#${id}|${channel}>` : all;
  }
}

/** Addresses of the web in a text as Slack writes it, those in code left out. */
export function linksIn(text: string): string[] {
  const outside = text.split("```").filter((_, at) => at % 2 === 0);
  return outside.flatMap((piece) =>
    [...piece.matchAll(/<(https?:\/\/[^<>|]+)(?:\|[^<>]*)?>/g)].map(([, url = ""]) => url.replaceAll("&amp;", "&")),
  );
}
