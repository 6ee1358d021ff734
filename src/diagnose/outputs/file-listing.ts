// Lists of files as ls, find, du, stat and object stores print them: names, sizes, folders. For readers of checkpoints.
//   -rw-r--r-- 1 trainer mlops 65177676541 2026-03-22 07:40:25.864763000 +0000 __0_0.distcp
//   65177676541 /mnt/ckpt/step-4500/__0_0.distcp
import type { OutputLine, OutputText } from "./output-text.ts";

export interface ListedFile {
  line: number;
  /** The folder, as far as the text tells it; "" where it does not. */
  dir: string;
  name: string;
  bytes: number | null;
  /** False where the size was printed rounded: "61G". */
  exact: boolean;
  folder: boolean;
  /** The line holds a name alone, as ls prints it, not a path, as find and du do. */
  bare: boolean;
}

export interface FileListing {
  files: ListedFile[];
  /** Lines that belong to the list, with its totals and folder headers. */
  lines: number[];
  /** The folder that the last command that lists names. */
  asked: string;
  /** Would a name that begins with a dot have been shown? */
  showsHidden: boolean;
  /** False where the command or the text itself leaves files out. */
  complete: boolean;
  /** A line that ends in the middle of a row, and folders that could not be opened. */
  cut: number[];
  denied: number[];
}

/** No row of a list is longer. */
const ROW_CHARS = 1000;
const MODE = /^\s*(?:\d{1,20}\s+){0,2}(?<type>[-dlbcps])[-rwxsStTl]{9}[.+@]?(?=\s|$)/;
const TIME = /^\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z?$/;
const DATE =
  /^(?:\d{4}-\d{2}-\d{2}(?:[T+]\d{2}:\d{2}:\d{2}(?:\.\d{1,12})?Z?)?|\d{2}-\d{2}|Mon|Tue|Wed|Thu|Fri|Sat|Sun|\d{1,2}日|[+-]\d{4}|AM|PM)$/;
const SIZE = /^(?<number>\d{1,20}(?:[.,]\d{1,10})?)(?<unit>[KMGTPE])?(?:i?B)?$/i;
const MONTH = /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|\d{1,2}月)$/;
const HEADER = /^(?<dir>[^\s:|]{1,400}):$/;
const DENIED =
  /^(?:ls|find|du|tree): (?:cannot (?:open|read|access) (?:directory )?)?['"‘]?[^'"’]{1,400}['"’]?: (?:Permission denied|Input\/output error|Stale file handle)$/;
const ELISION = /^\s*(?:\.{3,}|…|\[?\.{3}.{0,60}\.{3}\]?|<?(?:snip|output truncated|truncated)>?)\s*$/i;
const TREE = /^(?<branch>[\s│├└─|`+-]{2,})(?:\[\s*(?<size>[\d.]{1,20}[KMGTP]?)\]\s+)?(?=[\w.])/u;
/** A command pasted without its prompt. */
const TYPED = /^(?:sudo )?(?:ls|ll|find|du|tree) (?=\S*[-/.\d_~])[^:]{1,300}$/;
const LISTERS = /(?:^|[\s;|&])(?:ls|ll|find|du|stat|tree)(?:\s|$)/;
const SHOWS_ALL =
  /(?:^|[\s;|&])(?:(?:ls|ll|tree)\s(?:.{0,200}\s)?(?:-[a-zA-Z]{0,12}[aAf][a-zA-Z]{0,12}|--(?:almost-)?all)(?:\s|$)|(?:find|du)\s)/;
/** What makes a command list only some of the files; and what lists all of one name, but nothing that begins with a dot. */
const SELECTS = /\| *(?:head|tail)\b|-size|-empty|-newer|-mmin|-mtime/;
const NAMED = /\*|\| *grep\b|-i?name/;

/** Reads every list in the text. `isKnown` says which base names mark a line without size or mode as one of a list. */
export function readListing(text: OutputText, isKnown: (name: string) => boolean): FileListing {
  const listing: FileListing = {
    files: [],
    lines: [],
    asked: "",
    showsHidden: false,
    complete: true,
    cut: [],
    denied: [],
  };
  let typed = "";
  let dir = "";
  const branches: string[] = [];
  for (const line of text.lines) {
    if (line.command || TYPED.test(line.text)) {
      typed = line.text;
      if (LISTERS.test(typed)) listing.asked = dir = folderOf(typed);
      continue;
    }
    const row = line.text.trim();
    if (row === "" || row.length > ROW_CHARS) continue;
    const header = HEADER.exec(row)?.groups?.dir;
    if (header && (header.includes("/") || header.startsWith("."))) {
      dir = header;
      listing.lines.push(line.line);
    } else if (/^(?:total|总计|总用量|合計) /.test(row)) listing.lines.push(line.line);
    else if (DENIED.test(row)) listing.denied.push(line.line);
    else if (ELISION.test(row)) listing.complete = false;
    else {
      const emptyOnly = /-empty|-size (?:-1k|0)\b/.test(typed);
      const files = filesOf(line, { dir: folderIn(line.text, dir, branches), emptyOnly, isKnown });
      if (files === "cut") listing.cut.push(line.line);
      else if (files.length > 0) {
        listing.files.push(...files);
        listing.lines.push(line.line);
      }
    }
  }
  const commands = text.lines
    .filter(({ command, text: one }) => (command && LISTERS.test(one)) || TYPED.test(one))
    .map((line) => line.text);
  if (commands.some((one) => SELECTS.test(one))) listing.complete = false;
  return { ...listing, files: withoutRepeats(listing.files), showsHidden: showsHidden(commands, listing.files) };
}

/** `ls` hides names with a dot unless told; find and du do not, and print paths. A star in the command hides them too. */
function showsHidden(commands: readonly string[], files: readonly ListedFile[]): boolean {
  if (files.some(({ name }) => name.startsWith("."))) return true;
  if (commands.length > 0) return commands.some((one) => SHOWS_ALL.test(one) && !SELECTS.test(one) && !NAMED.test(one));
  return files.length > 0 && files.every(({ bare }) => !bare);
}

/** In a tree a row's folder is the last row that stands one step further out. `branches` holds the last of each step. */
function folderIn(row: string, dir: string, branches: string[]): string {
  const branch = TREE.exec(row)?.groups?.branch ?? "";
  if (!/[├└`|]/.test(branch)) return dir;
  const depth = Math.round(branch.length / 4) - 1;
  branches.length = Math.max(0, Math.min(depth, branches.length));
  const folder = [dir, ...branches].filter((name) => name !== "").join("/");
  branches.push(row.split(/\s+/).at(-1) ?? "");
  return folder;
}

interface Around {
  dir: string;
  emptyOnly: boolean;
  isKnown(name: string): boolean;
}

/** "cut" where a row begins but holds no name. */
function filesOf({ line, text }: OutputLine, around: Around): ListedFile[] | "cut" {
  const mode = MODE.exec(text);
  if (mode) {
    const file = rowOf(text.slice(mode[0].length).trim().split(/\s+/), true);
    if (!file) return "cut";
    // A link's own size says nothing of the file.
    const own = mode.groups?.type === "l" ? { ...file, bytes: null } : file;
    return [listed(line, around.dir, own, mode.groups?.type === "d")];
  }
  const branch = TREE.exec(text);
  const size = branch?.groups?.size;
  const plain = branch ? `${size ?? ""} ${text.slice(branch[0].length)}` : text;
  const tokens = plain.trim().split(/\s+/);
  const last = tokens.at(-1) ?? "";
  if (tokens.length <= 7) {
    const file = rowOf(tokens, false) ?? rowOf([...tokens.slice(1), tokens[0] ?? ""], false);
    const path = file?.path ?? "";
    if (file && (isPath(path) || around.isKnown(baseOf(path))))
      return [listed(line, around.dir, file, path.endsWith("/"))];
  }
  // Names only, in one column or several.
  const known = tokens.filter((token) => around.isKnown(baseOf(token)));
  const names = tokens.every(
    (token) => around.isKnown(baseOf(token)) || (/^[\w.+=@%/-]+$/.test(token) && /[._\d/-]/.test(token)),
  );
  const alone = tokens.length === 1 && isPath(last) && /^[^\s:,;"'()]+$/.test(last);
  if (!(names && known.length > 0) && !alone) return [];
  const bytes = around.emptyOnly ? 0 : null;
  return tokens.map((path) => listed(line, around.dir, { path, bytes, exact: true }, path.endsWith("/")));
}

interface Row {
  path: string;
  bytes: number | null;
  exact: boolean;
}

/**
 * A path at the end, and before it one size among dates, owners and times. Without `owners` everything but dates and the
 * one size makes it no row.
 */
function rowOf(tokens: readonly string[], owners: boolean): Row | null {
  const arrow = tokens.indexOf("->");
  const row = arrow > 0 ? tokens.slice(0, arrow) : tokens;
  const path = row.at(-1) ?? "";
  const before = row.slice(0, -1);
  const dates = before.map((token, at) => isDate(token, before[at - 1] ?? "", before[at - 2] ?? ""));
  if (owners) {
    const size = sizeBefore(before, dates);
    return size && (dates.at(-1) ?? false) ? { path, ...size } : null;
  }
  const left = before.filter((_, at) => !dates[at]);
  const joined = left.length === 2 && /^(?:[KMGTP]i?B|Bytes|bytes|B)$/.test(left[1] ?? "") ? [left.join("")] : left;
  const [only, ...others] = joined;
  const size = only === undefined || others.length > 0 ? null : sizeOf(only.replace(/[bB]ytes$/, ""));
  return size && /^[^\s'"(),;]+$/.test(path) && !/^\d+$/.test(path) ? { path, ...size } : null;
}

/** The number before the date; in a language whose months are not known here, the last number behind a name. */
function sizeBefore(before: readonly string[], dates: readonly boolean[]): ReturnType<typeof sizeOf> {
  const size = sizeOf(before[dates.lastIndexOf(false)] ?? "");
  if (size) return size;
  const at = before.findLastIndex((token, n) => n > 0 && !dates[n] && sizeOf(token) && !sizeOf(before[n - 1] ?? ""));
  return at < 0 ? null : sizeOf(before[at] ?? "");
}

/** Day of the month and year stand between a month's name and the time. */
function isDate(token: string, before: string, first: string): boolean {
  if (TIME.test(token) || DATE.test(token) || MONTH.test(token)) return true;
  if (/^\d{1,2}$/.test(token)) return MONTH.test(before);
  return /^\d{4}$/.test(token) && (MONTH.test(first) || MONTH.test(before));
}

function sizeOf(token: string): { bytes: number; exact: boolean } | null {
  const found = SIZE.exec(token)?.groups;
  if (!found) return null;
  const unit = (found.unit ?? "").toUpperCase();
  const number = unit === "" ? Number(found.number?.replaceAll(",", "")) : Number(found.number?.replace(",", "."));
  return { bytes: Math.round(number * 1024 ** "BKMGTPE".indexOf(unit || "B")), exact: unit === "" };
}

function listed(line: number, dir: string, { path, bytes, exact }: Row, folder: boolean): ListedFile {
  const clean = path.replace(/[*=@|]$/, "").replace(/\/$/, "");
  const slash = clean.lastIndexOf("/");
  const own = clean.slice(0, Math.max(slash, 0));
  const in_ =
    own === ""
      ? dir
      : own.startsWith("/") || own.includes("://") || dir === "" || own.startsWith(dir)
        ? own
        : `${dir}/${own}`;
  return { line, dir: in_, name: clean.slice(slash + 1), bytes, exact, folder, bare: own === "" };
}

function isPath(token: string): boolean {
  return /^(?:~|\.{1,2}|\w{1,10}:\/)?\/[^\s]*[^\s/:]/.test(token) || /^[\w.+=-]+\/[\w.+=/-]+$/.test(token);
}

export function baseOf(path: string): string {
  const clean = path.replace(/[*=@|/]$/, "");
  return clean.slice(clean.lastIndexOf("/") + 1);
}

/** The folder that a command names: `ls -la DIR`, `cd DIR && ls`, `find DIR -type f`. */
function folderOf(typed: string): string {
  const words = typed
    .split(/[\s;|&]+/)
    .filter((word) => /^(?!-)[\w./~+=@:-]*\/[\w./~+=@:-]*$|^[\w.-]*\d[\w.-]*$/.test(word));
  return (words.find((word) => word.includes("/")) ?? words.find((word) => /[a-z][-_]?\d/.test(word)) ?? "").replace(
    /\/$/,
    "",
  );
}

/** Several hosts that see the same file system list the same files. */
function withoutRepeats(files: readonly ListedFile[]): ListedFile[] {
  const seen = new Set<string>();
  return files.filter(({ dir, name }) => {
    const path = `${dir}/${name}`;
    if (seen.has(path)) return false;
    seen.add(path);
    return true;
  });
}
