// The memory files of a cgroup, v2 and v1, in any of the ways people print several at once.
//   ==> memory.events <==
//   oom_kill 3
import type { OutputText } from "./output-text.ts";
import { digits, type FactsBuilder } from "./said.ts";

/** `head` and `grep .` name the file a line comes from; a path typed alone names what stands below it. */
const FILE =
  /(?:^|\/)(memory\.(?:max|high|low|current|peak|events|stat|swap\.\w+|limit_in_bytes|usage_in_bytes|max_usage_in_bytes|failcnt|oom_control|memsw\.\w+))\b/;
const FILE_HEADER = /^(?:==> )?(\S{0,300}memory\.[a-z_.]{3,30})(?: <==|:)?$/;
const FILE_PREFIX = /^(\S{0,300}memory\.[a-z_.]{3,30}):\s?(.+)$/;
const PAIR = /^([a-z_]{2,40}) (\d{1,20})$/;
const EVENT_KEYS = ["low", "high", "max", "oom", "oom_kill", "oom_group_kill"];
const STAT_KEYS = ["anon", "file", "kernel", "shmem", "file_mapped", "cache", "rss", "mapped_file", "inactive_anon"];
/** cgroup v1 writes "no limit" as the largest page-aligned number; anything near it means the same. */
const NO_LIMIT = 2 ** 60;
/** From this share of its limit on, a container is at it: the kernel keeps reclaiming just below. */
const AT_LIMIT = 0.98;
export const BARE = /^(\d{1,20}|max)$/;

interface Value {
  value: number;
  line: number;
}

interface Cgroup {
  /** By "memory.max" or, in events and stat, "memory.events oom_kill". */
  values: Map<string, Value | "unlimited">;
  lines: number[];
}

/** Everything under the name of a memory file, in any of the ways people print several at once. */
export function cgroupOf(text: OutputText): Cgroup {
  const values: Cgroup["values"] = new Map();
  const lines: number[] = [];
  let file: string | null = null;
  let typed: string[] = [];
  for (const { line, text: row, command } of text.lines) {
    const trimmed = row.trim();
    if (command) {
      typed = filesIn(trimmed);
      file = typed.length === 1 ? (typed[0] ?? null) : null;
      continue;
    }
    const prefixed = FILE_PREFIX.exec(trimmed);
    if (!prefixed && FILE_HEADER.test(trimmed)) {
      file = FILE.exec(trimmed)?.[1] ?? null;
      if (file) lines.push(line);
      continue;
    }
    const name: string | null = prefixed ? (FILE.exec(prefixed[1] ?? "")?.[1] ?? null) : file;
    const said = (prefixed?.[2] ?? trimmed).trim();
    const [, key = "", figure] = PAIR.exec(said) ?? [];
    if (figure !== undefined) {
      const into = name ?? homeOf(key);
      if (!into) continue;
      values.set(`${into} ${key}`, { value: Number(figure), line });
      lines.push(line);
    } else if (BARE.test(said)) {
      // `cat memory.max memory.current` prints one number a line, in the order asked for.
      const into = name ?? typed.shift();
      if (!into || name === "memory.stat" || name === "memory.events") continue;
      values.set(into, said === "max" || Number(said) >= NO_LIMIT ? "unlimited" : { value: Number(said), line });
      lines.push(line);
    }
  }
  // Two bare key-value lines could be anything's; a limit's file or its events could not.
  const sure = [...values.keys()].some((key) => /^memory\.(?!stat)/.test(key) || key === "memory.stat anon");
  return sure ? { values, lines } : { values: new Map(), lines: [] };
}

/** `cat memory.{max,current}` names two. */
function filesIn(typed: string): string[] {
  const braces = /memory\.\{([a-z_.,]{3,120})\}/.exec(typed);
  if (braces) return (braces[1] ?? "").split(",").map((name) => `memory.${name}`);
  return typed.split(/\s+/).flatMap((word) => FILE.exec(word)?.[1] ?? []);
}

/** Keys of memory.events and memory.stat are known by their names alone. */
function homeOf(key: string): string | null {
  if (EVENT_KEYS.includes(key)) return "memory.events";
  return STAT_KEYS.includes(key) ? "memory.stat" : null;
}

export function readCgroup(text: OutputText, facts: FactsBuilder): { en: string; zh: string } | null {
  const { values } = cgroupOf(text);
  const first = (...keys: string[]): Value | null => {
    const found = keys
      .map((key) => values.get(key))
      .find((value): value is Value => value !== undefined && value !== "unlimited");
    return found ?? null;
  };
  const size = (fact: string, ...keys: string[]): number | null => {
    const found = first(...keys);
    facts.add(fact, found && found.value / 1024 ** 3, found ? [found.line] : []);
    return found && found.value / 1024 ** 3;
  };
  const number = (fact: string, ...keys: string[]): number | null => {
    const found = first(...keys);
    facts.add(fact, found?.value, found ? [found.line] : []);
    return found?.value ?? null;
  };
  if (values.size === 0) return null;
  const limitOf = values.get("memory.max") ?? values.get("memory.limit_in_bytes");
  const limit = size("cgroup_limit_gib", "memory.max", "memory.limit_in_bytes");
  const current = size("cgroup_current_gib", "memory.current", "memory.usage_in_bytes");
  size("cgroup_peak_gib", "memory.peak", "memory.max_usage_in_bytes");
  const anon = size("cgroup_anon_gib", "memory.stat anon", "memory.stat rss");
  const shmem = size("cgroup_shmem_gib", "memory.stat shmem");
  size("cgroup_file_gib", "memory.stat file", "memory.stat cache");
  const kills = number("oom_kills", "memory.events oom_kill", "memory.oom_control oom_kill");
  number("cgroup_max_events", "memory.events max", "memory.failcnt");
  if (limitOf !== undefined) {
    const line =
      limitOf === "unlimited"
        ? (text.lines.find(({ text: row }) => /\bmax\b|922337/.test(row))?.line ?? 1)
        : limitOf.line;
    facts.add("cgroup_limited", limitOf !== "unlimited", [line]);
  }
  return sayCgroup({ limit, unlimited: limitOf === "unlimited", current, anon, shmem, kills });
}

interface Found {
  limit: number | null;
  unlimited: boolean;
  current: number | null;
  anon: number | null;
  shmem: number | null;
  kills: number | null;
}

function sayCgroup({ limit, unlimited, current, anon, shmem, kills }: Found): { en: string; zh: string } {
  const at = limit !== null && current !== null && current >= AT_LIMIT * limit;
  const of =
    current === null ? null : limit === null ? `${digits(current)} GiB` : `${digits(current)} of ${digits(limit)} GiB`;
  const ofZh =
    current === null ? null : limit === null ? `${digits(current)} GiB` : `${digits(current)}/${digits(limit)} GiB`;
  const split = anon === null ? "" : `, ${digits(anon)} anon${shmem === null ? "" : ` + ${digits(shmem)} shmem`}`;
  const killed =
    kills === null ? null : kills === 0 ? "no process" : `${kills} ${kills === 1 ? "process" : "processes"}`;
  const en = at
    ? `The container is at its limit (${of}${split})`
    : of === null
      ? limit === null
        ? "The container's memory files"
        : `The container may use ${digits(limit)} GiB`
      : `The container uses ${of}${unlimited ? ", without a limit" : ""}${split}`;
  const zh = at
    ? `容器内存到顶（${ofZh}）`
    : ofZh === null
      ? limit === null
        ? "容器的内存文件"
        : `容器上限 ${digits(limit)} GiB`
      : `容器使用 ${ofZh}${unlimited ? "，没有上限" : ""}`;
  return {
    en: killed === null ? `${en}.` : `${en}; the kernel has killed ${killed}.`,
    zh: kills === null ? `${zh}。` : `${zh}，内核${kills === 0 ? "没有杀过进程" : `已杀 ${kills} 个进程`}。`,
  };
}
