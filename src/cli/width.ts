// How wide text is on a terminal, and how it is broken into lines. Chinese takes two columns a sign.

/** What a stranger's log must not do to a terminal: move the cursor, change colours, turn the text around. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function safe(text: string): string {
  return text.replace(UNSAFE, "�");
}

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
  const lines: string[] = [];
  let current = "";
  for (const piece of pieces(line)) {
    const joined = current + piece;
    if (current !== "" && widthOf(joined.trimEnd()) > columns && !CLOSING.test(piece)) {
      lines.push(current.trimEnd());
      current = piece.trimStart();
    } else {
      current = joined;
    }
  }
  lines.push(current.trimEnd());
  return lines;
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
