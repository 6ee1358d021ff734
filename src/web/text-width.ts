// How wide a text will be, near enough to break lines in a drawing, where nothing wraps by itself. Guessed wide rather than narrow.

const SIGNS: [pattern: RegExp, width: number][] = [
  [/[\u2e80-\uffef]/, 1.02],
  [/[ijl.,:;'|!()[\] ]/, 0.34],
  [/[frt/\\"-]/, 0.42],
  [/[mwMW@%]/, 0.96],
  [/[A-Z+=<>~_#]/, 0.74],
];

/** In units of the font's size; bold letters are wider. */
function widthOfSign(sign: string): number {
  return SIGNS.find(([pattern]) => pattern.test(sign))?.[1] ?? 0.63;
}

export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const sign of text) width += widthOfSign(sign) * size;
  return width;
}

export interface Fit {
  size: number;
  width: number;
  /** What does not fit into so many lines ends in "…". */
  lines: number;
}

export function wrapText(text: string, { size, width, lines: most }: Fit): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of breakable(text)) {
    if (textWidth((line + part).trimEnd(), size) <= width) {
      line += part;
      continue;
    }
    if (line.trim() !== "") lines.push(line.trim());
    line = part.trimStart();
    // One name longer than a line.
    while (textWidth(line, size) > width) {
      const end = fitting(line, size, width);
      lines.push(line.slice(0, end));
      line = line.slice(end);
    }
  }
  if (line.trim() !== "" || lines.length === 0) lines.push(line.trim());
  if (lines.length <= most) return lines;
  const last = lines[most - 1] ?? "";
  const cut = textWidth(`${last}…`, size) <= width ? last : last.slice(0, fitting(last, size, width - size));
  return [...lines.slice(0, most - 1), `${cut.trimEnd()}…`];
}

/** Words with the blanks behind them; Chinese breaks after every sign, but not before a closing mark. */
function breakable(text: string): string[] {
  return text.match(/[\u2e80-\uffef][，。、；：？！）》”]*|[^\s\u2e80-\uffef]+\s*|\s+/g) ?? [];
}

/** At least one sign, never half of one. */
function fitting(text: string, size: number, width: number): number {
  let end = 0;
  let used = 0;
  for (const sign of text) {
    used += widthOfSign(sign) * size;
    if (used > width && end > 0) break;
    end += sign.length;
  }
  return end;
}
