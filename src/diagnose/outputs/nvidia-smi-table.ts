// The rows of nvidia-smi's table and of its list of compute processes. Widths differ from driver to driver, cells do not.
import type { OutputText } from "./output-text.ts";

const BANNER = /^\|\s*NVIDIA-SMI\s+\S+\s+Driver Version:\s+(?<driver>\S+)/;
/** First row of a card: number and name, bus, ECC. Widths differ from driver to driver, the three cells do not. */
const CARD =
  /^\|\s*(?<gpu>\d{1,3}|ERR!)\s+(?<name>\S.{0,60}?)\s+(?:On|Off|N\/A|ERR!)?\s*\|\s*(?<pci>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s+\S+\s*\|\s*(?<ecc>\S+)\s*\|$/;
const USE =
  /^\|\s*\S+\s+\S+\s+\S+\s+(?<power>\S+)\s*\/\s*\S+\s*\|\s*(?<used>\S+)\s*\/\s*(?<total>\S+)\s*\|\s*(?<util>\S+)\s+\S.{0,30}\|$/;
const PROCESS =
  /^\|\s*(?<gpu>\d{1,3})\s+(?:(?:\d{1,3}|N\/A)\s+(?:\d{1,3}|N\/A)\s+)?(?<pid>\d{1,10})\s+(?<type>C|G|C\+G|M\+C)\s+(?<name>\S.{0,80}?)\s+(?<used>\d{1,9})MiB\s*\|$/;
/** --query-compute-apps=pid,used_memory --format=csv, in any order of its columns. */
export const APPS_HEADER =
  /^(?=.*\bpid\b)(?=.*\bused_(?:gpu_)?memory\b)[a-z_]{3,30}(?: \[MiB\])?(?:, [a-z_]{3,30}(?: \[MiB\])?){1,8}$/;

export interface Card {
  gpu: number;
  name: string;
  error: boolean;
  ecc: boolean;
  used: number | null;
  total: number | null;
  util: number | null;
  power: number | null;
  lines: number[];
}

export interface Process {
  gpu: number | null;
  pid: number;
  name: string;
  usedMib: number;
  line: number;
}

/** Banner, cards and compute processes, as far as they stand there. */
export function tableOf(text: OutputText): {
  banner: { driver: string; line: number } | null;
  cards: Card[];
  processes: Process[];
} {
  let banner: { driver: string; line: number } | null = null;
  const cards: Card[] = [];
  const processes: Process[] = [];
  let open: Card | null = null;
  for (const { line, text: raw } of text.lines) {
    const row = raw.trim();
    if (!row.startsWith("|")) continue;
    const head = BANNER.exec(row)?.groups;
    if (head) banner ??= { driver: head.driver ?? "", line };
    const card = CARD.exec(row)?.groups;
    if (card) {
      open = {
        gpu: card.gpu === "ERR!" ? cards.length : Number(card.gpu),
        name: card.name ?? "",
        error: row.includes("ERR!"),
        ecc: /^[1-9]\d*$/.test(card.ecc ?? ""),
        used: null,
        total: null,
        util: null,
        power: null,
        lines: [line],
      };
      cards.push(open);
      continue;
    }
    const use: Record<string, string | undefined> | undefined = open ? USE.exec(row)?.groups : undefined;
    if (open && use) {
      open.error ||= row.includes("ERR!");
      [open.used, open.total] = [numberOf(use.used), numberOf(use.total)];
      [open.util, open.power] = [numberOf(use.util), numberOf(use.power)];
      open.lines.push(line);
      open = null;
    }
    const running = PROCESS.exec(row)?.groups;
    // Graphics processes of a desktop or a monitoring agent are not what a job shares its card with.
    if (running && running.type !== "G") {
      const { gpu, pid, name = "", used } = running;
      processes.push({ gpu: Number(gpu), pid: Number(pid), name, usedMib: Number(used), line });
    }
  }
  return { banner, cards, processes };
}

/** "433W" -> 433; "N/A" and "ERR!" are no numbers. */
function numberOf(cell: string | undefined): number | null {
  const found = /^(\d{1,9}(?:\.\d{1,3})?)(?:MiB|W|%)?$/.exec(cell ?? "");
  return found ? Number(found[1]) : null;
}

/** The rows of --query-compute-apps; the card is known only where the command named one. */
export function appsOf(text: OutputText): Process[] {
  const asked = text.lines.flatMap(
    ({ command, text: typed }) => (command && /(?:^|\s)(?:-i|--id=?)\s?(\d{1,3})\b/.exec(typed)?.[1]) || [],
  );
  const gpu = asked.length === 1 ? Number(asked[0]) : null;
  const all: Process[] = [];
  let columns: string[] | null = null;
  for (const { line, text: row } of text.lines) {
    const cells = row.trim().split(/,\s*/);
    if (APPS_HEADER.test(row.trim())) columns = cells.map((cell) => cell.replace(/ \[MiB\]$/, ""));
    else if (columns && cells.length === columns.length) {
      const cell = (name: RegExp): string => cells[columns?.findIndex((column) => name.test(column)) ?? -1] ?? "";
      const used = /^(\d{1,9})(?: MiB)?$/.exec(cell(/^used_(?:gpu_)?memory$/))?.[1];
      const pid = /^\d{1,10}$/.exec(cell(/^pid$/))?.[0];
      if (used && pid) all.push({ gpu, pid: Number(pid), name: cell(/name$/), usedMib: Number(used), line });
    } else columns = null;
  }
  return all;
}
