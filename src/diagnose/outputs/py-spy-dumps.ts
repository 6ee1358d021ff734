// Takes py-spy's dumps apart: one process after the other, each with its threads and their frames, innermost first.
import type { OutputText } from "./output-text.ts";
import type { Frame } from "./py-spy-places.ts";

export interface Thread {
  line: number;
  id: string;
  idle: boolean;
  name: string | null;
  frames: Frame[];
}

export interface Dump {
  line: number;
  /** Null where the text begins below the line that names it. */
  pid: number | null;
  rank: number | null;
  host: string | null;
  command: string;
  parent: number | null;
  threads: Thread[];
}

const PROCESS = /^Process (?<pid>\d{1,10}): ?(?<command>.*)$/;
const PYTHON = /^Python v\d\S{0,20} \(/;
const PARENT = /^Parent Process (?<pid>\d{1,10}): /;
const THREAD =
  /^Thread (?:(?<id>0x[0-9A-Fa-f]{1,16}|\d{1,20}) )?\((?<state>active\+gil|active|idle\+gil|idle|gil)\)(?:: "(?<name>.{0,200})")?$/;
/** People mark the frame they mean with an arrow after it. */
const FRAME =
  /^\s*(?<name>\S.{0,300}?) \((?<file>[^()]{1,300}?)(?::(?<number>\d{1,7}))?\)(?:\s{1,20}(?:←|<[-=]|#).{0,120})?$/u;
/** `--locals` prints these below a frame. */
const LOCAL = /^\s*(?:Arguments|Locals):$|^\s*[\w.]{1,80}: /;
const NAMED = /^\W{0,6}(?:global[ _]?)?rank\s?[ =:#]\s?(?<rank>\d{1,6})\b.{0,60}$/i;

/** A thread above a frame, and everything that belongs to such. */
export function dumpLines(text: OutputText): number[] {
  return dumpsOf(text).flatMap(({ line, pid, threads }) => [
    ...(pid === null ? [] : [line]),
    ...threads.flatMap((thread) => [thread.line, ...thread.frames.map((frame) => frame.line)]),
  ]);
}

/** Those with at least one frame: a header alone could be anybody's. */
export function dumpsOf({ lines }: OutputText): Dump[] {
  const dumps: Dump[] = [];
  let thread: Thread | null = null;
  let rank: number | null = null;
  for (const at of lines) {
    const row = at.text.trim();
    const process = PROCESS.exec(row)?.groups;
    if (process && !at.command) {
      const { pid, command = "" } = process;
      dumps.push({
        line: at.line,
        pid: Number(pid),
        rank: at.rank ?? rank,
        host: at.host,
        command,
        parent: null,
        threads: [],
      });
      [thread, rank] = [null, null];
      continue;
    }
    const head = THREAD.exec(row)?.groups;
    if (head) {
      thread = {
        line: at.line,
        id: head.id ?? "",
        idle: head.state?.startsWith("idle") ?? false,
        name: head.name ?? null,
        frames: [],
      };
      if (dumps.length === 0)
        dumps.push({
          line: at.line,
          pid: null,
          rank: at.rank ?? rank,
          host: at.host,
          command: "",
          parent: null,
          threads: [],
        });
      dumps.at(-1)?.threads.push(thread);
      continue;
    }
    const parent = PARENT.exec(row)?.groups?.pid;
    const dump = dumps.at(-1);
    if (parent && dump) dump.parent = Number(parent);
    rank = NAMED.exec(row) ? Number(NAMED.exec(row)?.groups?.rank) : rank;
    const frame = thread && !LOCAL.test(row) && !PYTHON.test(row) ? FRAME.exec(at.text)?.groups : undefined;
    if (frame && thread) {
      const { name = "", file = "", number } = frame;
      thread.frames.push({ line: at.line, name, file, number: number === undefined ? null : Number(number) });
    } else if (row === "" || at.command) thread = null;
  }
  return dumps.filter(({ threads }) => threads.some(({ frames }) => frames.length > 0));
}

/** The thread that trains: by its name, else the one with the process's own number, else the one that runs the script. */
export function mainThread({ pid, threads }: Dump): Thread | null {
  return (
    threads.find(({ name }) => name === "MainThread") ??
    threads.find(({ id }) => id === String(pid)) ??
    threads.find(({ frames }) => frames.some(({ name }) => name === "<module>")) ??
    (threads.length === 1 && threads[0]?.name === null ? threads[0] : null)
  );
}

/** Not a rank: a worker of a data loader, a helper of the compiler or of Python, or the launcher. */
export function isHelper(dump: Dump): boolean {
  const frames = dump.threads.flatMap((thread) => thread.frames.map(({ name, file }) => `${name} (${file})`));
  const launcher =
    /(?:^|[\s/])(?:torchrun|deepspeed|accelerate launch)(?:\s|$)|torch\.distributed\.(?:run|launch)\b/.test(
      dump.command,
    );
  const helper =
    /^_worker_loop \(\S*torch\/utils\/data\/_utils\/worker\.py|\bresource_tracker\.py|torch\/_inductor\/compile_worker|torch\/distributed\/elastic\/agent\/|deepspeed\/launcher\/launch\.py/;
  return launcher || frames.some((frame) => helper.test(frame));
}
