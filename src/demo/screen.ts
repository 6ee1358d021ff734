// One thread of the fake workspace on a terminal: what was posted, what changed, which buttons there are.
import { safe, widthOf, wrap, wrapSpans } from "../cli/width.ts";
import type { DemoWords } from "../locale/demo-en.ts";
import type { FakeElement, FakeMessage, World } from "./fake/world.ts";
import { rowsOf } from "./rows.ts";
import type { Row, Span } from "./styled.ts";

export interface Screen {
  columns: number;
  color: boolean;
  words: DemoWords;
  world: World;
}

/** Something to press: a button, an option of a menu, a person. */
export interface Pressable {
  label: string;
  element: FakeElement;
  /** What is chosen, where it is not a plain button. */
  choose?: string;
}

const WIDEST = 110;
const NARROWEST = 30;
const INDENT = "  ";
/** Of what a person pastes, so many lines are shown. */
const PASTE_LINES = 3;

export function personSays(screen: Screen, { user, ts }: FakeMessage, typed: string): string {
  const { columns, words } = sized(screen);
  const lines = typed.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, PASTE_LINES).map((line) => INDENT + cut(safe(line), columns - INDENT.length));
  const more = lines.length - shown.length;
  return joined([
    head(screen, nameOf(screen.world, user), ts),
    ...shown,
    ...(more > 0 ? [INDENT + words.moreLines(more)] : []),
  ]);
}

/** What the bot posted; of a message changed in place only what is new, from the first change on. */
export function botSays(screen: Screen, message: FakeMessage, before?: FakeMessage): string {
  const { words, world } = screen;
  const notes = [words.app, ...(before ? [words.updated] : []), ...(message.ephemeral ? [words.onlyYou] : [])];
  const all = rowsIn(message, world);
  const rows = before ? newIn(all, rowsIn(before, world)) : all;
  return joined([head(screen, world.bot.name, before ? null : message.ts, notes), ...drawn(rows, screen)]);
}

function rowsIn({ blocks, text }: FakeMessage, world: World): Row[] {
  return rowsOf(blocks ?? [{ type: "section", text: { type: "mrkdwn", text } }], (id) => nameOf(world, id));
}

/** What stands between the beginning and the end that were there before, and the buttons in any case. */
function newIn(all: readonly Row[], before: readonly Row[]): Row[] {
  const isSame = (row: Row | undefined, other: Row | undefined): boolean =>
    JSON.stringify(row) === JSON.stringify(other);
  let start = 0;
  while (start < all.length && isSame(all[start], before[start])) start++;
  let end = 0;
  while (end < all.length - start && end < before.length - start && isSame(all.at(-1 - end), before.at(-1 - end)))
    end++;
  const kept = all.slice(all.length - end).filter(({ kind }) => kind === "actions");
  return [...all.slice(start, all.length - end), ...kept];
}

/** All buttons of a message in the order in which they are numbered, and its menu apart. */
export function pressables(
  message: FakeMessage | undefined,
  world: World,
): { buttons: Pressable[]; menu: Pressable[] } {
  const elements = rowsOf(message?.blocks ?? [], (id) => id).flatMap((row) =>
    row.kind === "actions" ? row.elements : [],
  );
  const options = (element: FakeElement): Pressable[] =>
    (element.options ?? []).map(({ text, value }) => ({ label: text.text, element, choose: value }));
  return {
    buttons: elements.flatMap((element): Pressable[] => {
      if (element.type === "button") return [{ label: element.text?.text ?? "", element }];
      if (element.type === "users_select")
        return [...world.people.values()]
          .filter(({ team }) => team === world.team)
          .map(({ id, name }) => ({ label: `@${name}`, element, choose: id }));
      return element.type === "overflow" ? [] : options(element);
    }),
    menu: elements.filter(({ type }) => type === "overflow").flatMap(options),
  };
}

export function numbered(screen: Screen, labels: readonly string[], first = 1): string[] {
  return flow(
    labels.map((label, n) => ({ key: String(n + first), label })),
    screen,
  );
}

/** Slack's own dialog before a button that asks for one; nothing where it asks for none. */
export function dialog(screen: Screen, { confirm }: FakeElement): string {
  const { title, text } = (confirm ?? {}) as { title?: { text: string }; text?: { text: string } };
  return confirm ? `\n${note(screen, `${title?.text}: ${text?.text}`)}` : "";
}

/** A line of ours between those of Slack. */
export function note(screen: Screen, text: string): string {
  const { dim } = sized(screen);
  return joined(wrapped(screen, text).map(dim));
}

/** What we ask of the person. */
export function question(screen: Screen, text: string): string {
  return joined(wrapped(screen, text));
}

function wrapped(screen: Screen, text: string): string[] {
  return wrap(safe(text), sized(screen).columns);
}

function drawn(rows: readonly Row[], screen: Screen): string[] {
  const { columns, dim, paint } = sized(screen);
  let numberOf = 0;
  return together(rows).flatMap((row, at): string[] => {
    const space = at > 0 && standsApart(row) ? [""] : [];
    return [...space, ...linesFor(row)];
  });

  function linesFor(row: Row): string[] {
    if (row.kind === "rule") return [INDENT + dim("─".repeat(Math.min(columns - INDENT.length, 40)))];
    if (row.kind === "code")
      return safe(row.text)
        .split("\n")
        .map((line) => `${INDENT}${INDENT}${line}`)
        .concat("");
    if (row.kind === "text")
      return wrapSpans(
        row.spans.map((span) => ({ ...span, text: safe(span.text) })),
        columns - INDENT.length,
      ).map((line) => INDENT + alike(line).map(paint).join(""));
    const keys = row.elements.flatMap((element): { key: string; label: string }[] => {
      if (element.type === "overflow") return [{ key: "m", label: screen.words.menu }];
      const { buttons } = pressables(
        { blocks: [{ type: "actions", elements: [element] }] } as FakeMessage,
        screen.world,
      );
      return buttons.map(({ label }) => ({ key: String(++numberOf), label }));
    });
    return flow(keys, screen);
  }
}

/** Neighbours in one style, as one. */
function alike(line: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of line) {
    const last = all.at(-1);
    const style = ({ text: _text, ...rest }: Span): string => JSON.stringify(rest);
    if (last && style(last) === style(span)) last.text += span.text;
    else all.push({ ...span });
  }
  return all;
}

/** Rows of buttons that follow each other, as one. */
function together(rows: readonly Row[]): Row[] {
  const all: Row[] = [];
  for (const row of rows) {
    const last = all.at(-1);
    if (row.kind === "actions" && last?.kind === "actions")
      all.splice(-1, 1, { kind: "actions", elements: [...last.elements, ...row.elements] });
    else all.push(row);
  }
  return all;
}

/** A heading, and the buttons. */
function standsApart(row: Row): boolean {
  return row.kind === "actions" || (row.kind === "text" && row.spans[0]?.bold === true);
}

/** Side by side as long as they fit; each keeps its words together. */
function flow(keys: readonly { key: string; label: string }[], screen: Screen): string[] {
  const { columns, bold } = sized(screen);
  const lines: string[] = [];
  let line = "";
  let width = 0;
  for (const { key, label } of keys) {
    const [first = "", ...rest] = wrap(safe(label), columns - INDENT.length - key.length - 3);
    const piece = `${bold(`[${key}]`)} ${first}`;
    const wide = key.length + 3 + widthOf(first);
    if (width > 0 && (width + 3 + wide > columns - INDENT.length || rest.length > 0)) {
      lines.push(INDENT + line);
      line = "";
      width = 0;
    }
    line += width > 0 ? `   ${piece}` : piece;
    width += wide + (width > 0 ? 3 : 0);
    for (const more of rest) {
      lines.push(INDENT + line);
      line = `${" ".repeat(key.length + 3)}${more}`;
      width = columns;
    }
  }
  return line === "" ? lines : [...lines, INDENT + line];
}

function head(screen: Screen, name: string, ts: string | null, notes: readonly string[] = []): string {
  const { bold, dim } = sized(screen);
  return [bold(safe(name)), ...(ts ? [dim(clock(ts))] : []), ...notes.map(dim)].join("  ");
}

export function nameOf({ people, bot, channels }: World, id: string): string {
  return people.get(id)?.name ?? channels.get(id)?.name ?? (id === bot.user ? bot.name : id);
}

function clock(ts: string): string {
  const at = new Date(Number(ts) * 1000);
  return `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
}

function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let shown = "";
  let width = 0;
  for (const sign of text) {
    width += widthOf(sign);
    if (width > columns - 1) break;
    shown += sign;
  }
  return `${shown}…`;
}

function joined(lines: readonly string[]): string {
  return `${lines.join("\n").replace(/\n{3,}/g, "\n\n")}\n`;
}

function sized({ columns, color, words }: Screen) {
  const code = (number: string) => (text: string) =>
    color && text !== "" ? `\u001b[${number}m${text}\u001b[0m` : text;
  const bold = code("1");
  const dim = code("2");
  const paint = ({ text, ...style }: Span): string => {
    const codes = [style.bold && "1", style.dim && "2", style.italic && "3", style.strike && "9"].filter(Boolean);
    return codes.length > 0 ? code(codes.join(";"))(text) : text;
  };
  // Some terminals say they have no columns at all.
  return { columns: Math.max(NARROWEST, Math.min(columns || WIDEST, WIDEST)), words, bold, dim, paint };
}
