// How wide text is on a terminal, and how it is broken into lines. Chinese takes two columns a sign.

export { safe } from "../case/safe-text.ts";

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

export function widthOf(text: string): number {
  let width = 0;
  for (const sign of text) width += WIDE.test(sign) ? 2 : 1;
  return width;
}

/** Signs that never begin a line in Chinese. */
const CLOSING = /^[\u2019\u201d\u3001\u3002\u300b\u3011\uff01\uff09\uff0c\uff1a\uff1b\uff1f,.;:?!)\]]/;

/** Lines no wider than `columns`; a single word that is wider stays whole. Breaks at blanks and between Chinese signs. */
export function wrap(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, columns));
}

function wrapLine(line: string, columns: number): string[] {
  return wrapSpans([{ text: line }], columns).map((spans) => spans.map(({ text }) => text).join(""));
}

/** The same for one line whose parts differ in style; each part of it keeps what it came with. */
export function wrapSpans<Span extends { text: string }>(line: readonly Span[], columns: number): Span[][] {
  const lines: Span[][] = [];
  let current: Span[] = [];
  let width = 0;
  for (const word of words(line)) {
    const text = word.map((span) => span.text).join("");
    if (width > 0 && width + widthOf(text.trimEnd()) > columns && !CLOSING.test(text)) {
      lines.push(trimmed(current));
      current = [];
      width = 0;
      const [first, ...rest] = word;
      if (first) word.splice(0, word.length, { ...first, text: first.text.trimStart() }, ...rest);
    }
    current.push(...word);
    width += word.reduce((sum, span) => sum + widthOf(span.text), 0);
  }
  lines.push(trimmed(current));
  return lines;
}

function trimmed<Span extends { text: string }>(line: Span[]): Span[] {
  const last = line.at(-1);
  return last ? [...line.slice(0, -1), { ...last, text: last.text.trimEnd() }] : [];
}

/** Where a line may break: words with the blanks before them, in one style or several, and single wide signs. */
function words<Span extends { text: string }>(line: readonly Span[]): Span[][] {
  const found: Span[][] = [];
  let before = "";
  for (const span of line) {
    for (const [at, text] of pieces(span.text).entries()) {
      const piece = { ...span, text };
      // What begins without a blank goes on with the word of the part before.
      const goesOn =
        at === 0 &&
        /\S$/.test(before) &&
        /^\S/.test(text) &&
        !WIDE.test(text.charAt(0)) &&
        !WIDE.test(before.at(-1) ?? "");
      if (goesOn) found.at(-1)?.push(piece);
      else found.push([piece]);
      before = text;
    }
  }
  return found;
}

/** Words with the blanks before them, and single wide signs. */
function pieces(line: string): string[] {
  const found: string[] = [];
  let word = "";
  for (const sign of line) {
    if (WIDE.test(sign)) {
      if (word !== "") found.push(word);
      found.push(sign);
      word = "";
    } else if (/\s/.test(sign) && /\S/.test(word)) {
      found.push(word);
      word = sign;
    } else {
      word += sign;
    }
  }
  if (word !== "") found.push(word);
  return found;
}
