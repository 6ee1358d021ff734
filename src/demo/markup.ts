// Slack's markup (mrkdwn) -> rows of styled text.
import { linesOf, type NameOf, type Row, type Span } from "./styled.ts";

const TOKEN =
  /<(?<target>[^<>|\n]{1,3000})(?:\|(?<label>[^<>\n]{0,3000}))?>|(?<![\w*])\*(?<bold>[^*\n]{1,3000})\*(?![\w*])|(?<![\w_])_(?<italic>[^_\n]{1,3000})_(?![\w_])|(?<![\w~])~(?<strike>[^~\n]{1,3000})~(?![\w~])|`(?<code>[^`\n]{1,3000})`/g;

export function markup(text: string, nameOf: NameOf): Row[] {
  return text.split("```").flatMap((piece, at): Row[] => {
    if (at % 2 === 1) return [{ kind: "code", text: plain(piece.replace(/^\n|\n$/g, "")) }];
    if (piece.trim() === "") return [];
    return linesOf(spansOf(piece.replace(/^\n|\n$/g, ""), nameOf));
  });
}

function spansOf(text: string, nameOf: NameOf): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const found of text.matchAll(TOKEN)) {
    if (found.index > from) spans.push({ text: plain(text.slice(from, found.index)) });
    from = found.index + found[0].length;
    const { target, label, bold, italic, strike, code } = found.groups ?? {};
    if (target) spans.push({ text: plain(linkText(target, label, nameOf)) });
    else if (bold) spans.push(...spansOf(bold, nameOf).map((span) => ({ ...span, bold: true })));
    else if (italic) spans.push(...spansOf(italic, nameOf).map((span) => ({ ...span, italic: true })));
    else if (strike) spans.push(...spansOf(strike, nameOf).map((span) => ({ ...span, strike: true })));
    else spans.push({ text: plain(code ?? "") });
  }
  if (from < text.length) spans.push({ text: plain(text.slice(from)) });
  return spans;
}

function linkText(target: string, label: string | undefined, nameOf: NameOf): string {
  if (target.startsWith("@")) return `@${nameOf(target.slice(1))}`;
  if (target.startsWith("#")) return `#${label || nameOf(target.slice(1))}`;
  if (target.startsWith("!")) return `@${label || target.slice(1).split("^")[0]}`;
  return label && label !== target ? `${label} (${target})` : target;
}

function plain(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
