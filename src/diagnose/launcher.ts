// How processes ended, as launchers tell it: torchrun's lines and blocks, DeepSpeed, srun, mpirun, Kubernetes, a shell.
// Host, rank, pid and exit code of one entry belong together, and entries of one process are one ending.
import type { Line } from "./lines.ts";
import { SIGNALS } from "./signals.ts";

export interface Ending {
  rank: number | null;
  localRank: number | null;
  host: string | null;
  pid: number | null;
  /** Negative for a signal, as Python prints it. */
  exitcode: number | null;
  signal: number | null;
  /** Tasks of srun: ranks where each process is a task, nodes where each node is one. */
  tasks: readonly number[];
  /** Where each of the above was read. */
  lines: Line[];
}

export interface Launchers {
  look(line: Line): void;
  /** In order of reading. */
  endings(): Ending[];
}

/** What is searched for past the part that is read line by line. */
export const ENDINGS = [
  "exitcode",
  "exit code",
  "Exit code",
  "Exit Code",
  "EXIT CODE",
  "exitCode",
  "ExitCode",
  "exit status",
  "return code",
  "exited with",
  "exited on signal",
  "srun: error: ",
  "Process name: [",
  "RUNNING AT",
  "death signal",
  "got signal: ",
  "Signals.SIG",
  "terminated with signal",
  "received by PID",
  "status failed cmd",
];

type Parts = Partial<Omit<Ending, "lines">>;
type Read = (match: Record<string, string | undefined>) => Parts;

/** One line, one ending. The first that fits is taken. */
const WHOLE: [RegExp, Read][] = [
  [
    /failed \(exitcode: (?<code>-?\d{1,10})\) local_rank: (?<local>\d{1,4}) \(pid: (?<pid>\d{1,8})\)/,
    (m) => ({ ...coded(m.code), localRank: number(m.local), pid: number(m.pid) }),
  ],
  [
    /--local[_-]rank[= ',]{1,5}(?<local>\d{1,4})\b.{0,2000}exits with return code = (?<code>-?\d{1,5})/,
    (m) => ({ ...coded(m.code), localRank: number(m.local) }),
  ],
  [
    /^srun: error: (?<host>[\w.-]{1,80}): tasks? (?<tasks>[\d,-]{1,400}): Exited with exit code (?<code>\d{1,3})/,
    (m) => ({ ...coded(m.code), host: m.host ?? null, tasks: tasksOf(m.tasks) }),
  ],
  [
    /^srun: error: (?<host>[\w.-]{1,80}): tasks? (?<tasks>[\d,-]{1,400}): (?<name>Killed|Aborted|Segmentation fault|Bus error|Terminated|Illegal instruction|Hangup|Interrupt|Floating point exception)/,
    (m) => ({ signal: SIGNALS[m.name ?? ""] ?? null, host: m.host ?? null, tasks: tasksOf(m.tasks) }),
  ],
  [
    /(?:^|\s)srun: error: (?<host>[\w.-]{1,80}): tasks? (?<tasks>[\d,-]{1,400}): Out Of Memory/,
    (m) => ({ host: m.host ?? null, tasks: tasksOf(m.tasks) }),
  ],
  [
    /process rank (?<rank>\d{1,6}) with PID (?<pid>\d{1,8}) on node (?<host>[\w.-]{1,80}) exited on signal (?<signal>\d{1,2})/,
    (m) => ({
      rank: number(m.rank),
      pid: number(m.pid) || null,
      host: m.host ?? null,
      signal: number(m.signal),
    }),
  ],
  [
    /\b(?:[Gg]lobal rank|[Rr]ank) (?<rank>\d{1,6})(?: \(PID (?<pid>\d{1,8})\))? (?:crashed|exited|terminated|failed) with (?:exit )?code:? (?<code>-?\d{1,5})/,
    (m) => ({ ...coded(m.code), rank: number(m.rank), pid: number(m.pid) }),
  ],
  [
    /\bprocess (?<local>\d{1,4}) terminated with (?:signal (?<name>SIG[A-Z0-9]{2,5})|exit code (?<code>\d{1,3}))/,
    (m) => ({ ...coded(m.code), signal: SIGNALS[m.name ?? ""] ?? null, localRank: number(m.local) }),
  ],
  // Paddle counts the containers of one node.
  [
    /^Container rank (?<local>\d{1,4}) status failed cmd \[.{0,3000}\] code (?<code>-?\d{1,5})\b/,
    (m) => ({ ...coded(m.code), localRank: number(m.local) }),
  ],
  [/\bdied with <Signals\.(?<name>SIG[A-Z0-9]{2,5}):/, (m) => ({ signal: SIGNALS[m.name ?? ""] ?? null })],
  [
    /\b[Rr]eceived (?:Signals\.)?(?<name>SIG[A-Z0-9]{2,5}|\d{1,2}) death signal/,
    (m) => ({ signal: SIGNALS[m.name ?? ""] ?? number(m.name) }),
  ],
  [
    /\bProcess (?<pid>\d{1,8}) got signal: (?<signal>\d{1,2})\b/,
    (m) => ({ signal: number(m.signal), pid: number(m.pid) }),
  ],
  [
    /\bSignal (?<signal>\d{1,2}) \(SIG\w{2,5}\) received by PID (?<pid>\d{1,8})/,
    (m) => ({ signal: number(m.signal), exitcode: -Number(m.signal), pid: number(m.pid) }),
  ],
  [
    /(?:^|: )(?:line \d{1,6}: +)?(?<pid>\d{2,8}) (?<name>Killed|Aborted|Segmentation fault|Bus error|Terminated)\b/,
    (m) => ({ signal: SIGNALS[m.name ?? ""] ?? null, pid: number(m.pid) }),
  ],
  [/\bExitCode=(?<code>\d{1,3}):0\b/, (m) => coded(m.code)],
  [/\bExitCode=0:(?<signal>[1-9]\d?)\b/, (m) => ({ signal: number(m.signal) })],
  [/\bexits with return code = (?<code>-?\d{1,5})\b/, (m) => coded(m.code)],
  [
    /\b[Ee]xit(?:ed|s)?[ _]?(?:with )?(?:a )?(?:non-zero )?(?:exit )?(?:status )?(?:[Cc]ode|[Ss]tatus)["']?\s{0,12}[:= ]\s{0,12}(?<code>-?\d{1,3})(?![\d.:])/,
    (m) => coded(m.code),
  ],
];

/** Lines of a block: they add to the entry that is open, and some begin one. */
const BEGINS = /^\s*(?:\[\d{1,5}\]:?|Root Cause \(first observed failure\):|Failures:)\s*$/;
const BLOCK: [RegExp, Read][] = [
  [/^\s*host\s{1,12}: (?<host>[\w.-]{1,80})/, (m) => ({ host: m.host ?? null })],
  [
    /^\s*rank\s{1,12}: (?<rank>\d{1,6}) \(local_rank: (?<local>\d{1,4})\)/,
    (m) => ({ rank: number(m.rank), localRank: number(m.local) }),
  ],
  [
    /^\s*exitcode\s{1,12}: (?<code>-?\d{1,10}) \(pid: (?<pid>\d{1,8})\)/,
    (m) => ({ ...coded(m.code), pid: number(m.pid) }),
  ],
  // mpirun and prterun: "Process name: [[38133,1],3]" and "Exit code:    1".
  [/^\s*Process name: \[.{1,80},(?<rank>\d{1,6})\]/, (m) => ({ rank: number(m.rank) })],
  // Hydra: "=   RANK 3 PID 1234 RUNNING AT node-3", "=   EXIT CODE: 9", "=   KILLED BY SIGNAL: 9 (Killed)".
  [
    /^=\s{0,8}(?:RANK (?<rank>\d{1,6}) )?PID (?<pid>\d{1,8}) RUNNING AT (?<host>[\w.-]{1,80})/,
    (m) => ({ rank: number(m.rank), pid: number(m.pid), host: m.host ?? null }),
  ],
  [/^=\s{0,8}EXIT CODE: (?<code>\d{1,3})\b/, (m) => coded(m.code)],
  [/^=\s{0,8}KILLED BY SIGNAL: (?<signal>\d{1,2})\b/, (m) => ({ signal: number(m.signal) })],
  [/^\s*Exit code:\s{1,12}(?<code>\d{1,3})\s*$/, (m) => coded(m.code)],
];

const MOST = 4_096;
/** An entry whose lines stand further apart is two. */
const NEAR = 12;

export function createLaunchers(): Launchers {
  const endings: Ending[] = [];
  const byPid = new Map<string, Ending>();
  const open = new Map<string, Ending>();

  function look(line: Line): void {
    const text = line.text.length > 4_000 ? `${line.text.slice(0, 2_000)} ${line.text.slice(-2_000)}` : line.text;
    if (
      !/[Ee]xit|EXIT|status failed|signal|Signal|host |rank |return code|srun|Process name|RUNNING AT|Killed|fault|Aborted/.test(
        text,
      )
    ) {
      if (BEGINS.test(text)) open.delete(keyOf(line));
      return;
    }
    if (BEGINS.test(text)) {
      open.delete(keyOf(line));
      return;
    }
    for (const [pattern, read] of BLOCK) {
      const groups = pattern.exec(text)?.groups;
      if (groups) {
        addToBlock(line, read(groups));
        return;
      }
    }
    for (const [pattern, read] of WHOLE) {
      const groups = pattern.exec(text)?.groups;
      if (!groups) continue;
      const parts = read(groups);
      if (parts.exitcode !== 0) add({ ...blank(line), ...known(parts) });
      return;
    }
  }

  function addToBlock(line: Line, parts: Parts): void {
    const key = keyOf(line);
    const entry = open.get(key);
    const last = entry?.lines.at(-1);
    const goesOn = entry && last && line.line - last.line <= NEAR && !contradicts(entry, parts);
    if (!goesOn) {
      // A block's host is that of the failed process, a prefix only that of whoever printed it.
      const fresh = add({ ...blank(line), ...known(parts) });
      if (open.size < MOST || open.has(key)) open.set(key, fresh);
      return;
    }
    merge(entry, { ...parts, lines: [line] });
    const same = entry.pid === null ? undefined : byPid.get(`${line.source}/${entry.pid}`);
    if (same && same !== entry) {
      merge(same, entry);
      const at = endings.indexOf(entry);
      if (at >= 0) endings.splice(at, 1);
      open.set(key, same);
    } else if (entry.pid !== null) byPid.set(`${line.source}/${entry.pid}`, entry);
  }

  function add(ending: Ending): Ending {
    const key = `${ending.lines[0]?.source}/${ending.pid}`;
    const same = ending.pid === null ? undefined : byPid.get(key);
    if (same) {
      merge(same, ending);
      return same;
    }
    if (endings.length >= MOST) return ending;
    if (ending.pid !== null) byPid.set(key, ending);
    endings.push(ending);
    return ending;
  }

  return {
    look,
    endings: () => endings.filter((one) => one.exitcode !== null || one.signal !== null || one.tasks.length > 0),
  };
}

function keyOf(line: Line): string {
  return `${line.source}/${line.host ?? ""}/${line.rank ?? ""}/${line.localRank ?? ""}`;
}

function blank(line: Line): Ending {
  return {
    rank: null,
    localRank: null,
    host: line.host,
    pid: null,
    exitcode: null,
    signal: null,
    tasks: [],
    lines: [line],
  };
}

function known(parts: Parts): Parts {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== null && value !== undefined));
}

function contradicts(entry: Ending, parts: Parts): boolean {
  for (const name of ["rank", "pid", "exitcode"] as const) {
    const value = parts[name];
    if (value != null && entry[name] !== null && entry[name] !== value) return true;
  }
  return parts.host != null && (entry.rank !== null || entry.exitcode !== null);
}

function merge(into: Ending, from: Parts & { lines: Line[] }): void {
  into.rank ??= from.rank ?? null;
  into.localRank ??= from.localRank ?? null;
  if (from.host != null) into.host = from.host;
  into.pid ??= from.pid ?? null;
  into.exitcode ??= from.exitcode ?? null;
  into.signal ??= from.signal ?? null;
  if (from.tasks && from.tasks.length > 0) into.tasks = from.tasks;
  if (into.lines.length < 16) into.lines.push(...from.lines);
}

function coded(printed: string | undefined): Parts {
  const code = number(printed);
  if (code === null) return {};
  return { exitcode: code, signal: code < 0 && code >= -64 ? -code : null };
}

function number(printed: string | undefined): number | null {
  return printed === undefined ? null : Number(printed);
}

/** "8-15,20" -> all of them. */
function tasksOf(printed: string | undefined): number[] {
  const tasks: number[] = [];
  for (const part of (printed ?? "").split(",")) {
    const [from, to] = part.split("-").map(Number);
    if (from === undefined || !Number.isInteger(from)) continue;
    for (let task = from; task <= (to ?? from) && tasks.length < MOST; task += 1) tasks.push(task);
  }
  return tasks;
}
