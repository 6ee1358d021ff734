// free, and the cgroup's memory files: is the host or the container out of memory, and has the kernel killed for it?
//   Mem:           1.0Ti       431Gi        14Gi       502Gi       571Gi        61Gi
//   ==> memory.events <==
//   oom_kill 3
import { BARE, cgroupOf, readCgroup } from "./cgroup-memory.ts";
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputLine, OutputText } from "./output-text.ts";
import { createFacts, digits, type FactsBuilder, gib, said } from "./said.ts";

const FREE_HEADER = /^\s*total\s+used\s+free\s+shared\s+(?:buff\/cache|buffers)\s+(?:available|cached)$/;
const FREE_ROW = /^\s*(Mem|Swap|-\/\+ buffers\/cache):\s+(\S.*)$/;
/** Less of the host's memory than this is as good as none. */
const LOW_SHARE = 0.1;

export const hostMemory: OutputReader = {
  id: "host-memory",
  command: "free -h; cd /sys/fs/cgroup && head -n 50 memory.max memory.current memory.peak memory.events memory.stat",
  owns: (line) =>
    /^free(?:\s|$)|\/sys\/fs\/cgroup|\bmemory\.(?:max|current|peak|events|limit_in_bytes|usage_in_bytes)\b/.test(line),
  knows: (text) => {
    const { lines } = cgroupOf(text);
    return [...freeLines(text).map(({ line }) => line), ...lines];
  },
  read,
};

function read(text: OutputText): ToolReading {
  const facts = createFacts();
  const free = readFree(text, facts);
  const cgroup = readCgroup(text, facts);
  facts.addHost(text);
  if (!free && !cgroup) {
    return {
      status: "partial",
      finding: said("Bare numbers without the names of their files.", "只有数字，没有文件名。"),
      facts: facts.facts,
      problems: [
        {
          line: text.lines.find(({ text: row }) => BARE.test(row.trim()))?.line ?? 1,
          say: "which file is which? Paste what `head -n 50 memory.max memory.current memory.events` prints",
        },
      ],
    };
  }
  const parts = [cgroup, free].filter((part) => part !== null);
  return {
    status: "read",
    finding: said(parts.map(({ en }) => en).join(" "), parts.map(({ zh }) => zh).join("")),
    facts: facts.facts,
  };
}

/** The header of `free` and the rows below it. */
function freeLines({ lines }: OutputText): OutputLine[] {
  const header = lines.findIndex(({ text }) => FREE_HEADER.test(text));
  if (header < 0) return lines.filter(({ text }) => /^\s*Mem:\s+\d\S*(?:\s+\d\S*){5}$/.test(text));
  return lines.slice(header, header + 4).filter(({ text }, at) => at === 0 || FREE_ROW.test(text));
}

function readFree(text: OutputText, facts: FactsBuilder): { en: string; zh: string } | null {
  const rows = freeLines(text);
  const typed = text.lines.findLast(({ command, text: line }) => command && /^free\b/.test(line))?.text ?? "";
  // Bare numbers are KiB unless the command says otherwise.
  const unit = /^free\b.*\s-\w*g/.test(typed)
    ? "G"
    : /^free\b.*\s-\w*m/.test(typed)
      ? "M"
      : /^free\b.*\s-\w*b/.test(typed)
        ? "B"
        : "K";
  const cells = (name: string): { at: number; values: (number | null)[] } | null => {
    const row = rows.find(({ text: line }) => line.trim().startsWith(name));
    const values = FREE_ROW.exec(row?.text ?? "")?.[2]
      ?.split(/\s+/)
      .map((cell) => gib(cell, unit));
    return row && values ? { at: row.line, values } : null;
  };
  const memory = cells("Mem:");
  const swap = cells("Swap:");
  const older = cells("-/+ buffers/cache:");
  if (!memory) return null;
  const [total = null, , , shared = null, , sixth = null] = memory.values;
  // Until procps 3.3.9 the sixth column is cached, and what is available is free of a row of its own.
  const available = older ? (older.values[1] ?? null) : sixth;
  facts.add("host_total_gib", total, [memory.at]);
  facts.add("host_available_gib", available, [older?.at ?? memory.at]);
  facts.add("shm_gib", shared, [memory.at]);
  facts.add("swap_used_gib", swap?.values[1], swap ? [swap.at] : []);
  if (total === null || available === null) return null;
  const low = available < LOW_SHARE * total;
  const shm = shared !== null && shared > 0.2 * total;
  return {
    en: `Host: ${digits(available)} of ${digits(total)} GiB available${shm ? `, ${digits(shared)} in shared memory` : low ? "" : ": no shortage"}.`,
    zh: `主机可用内存 ${digits(available)}/${digits(total)} GiB${shm ? `，其中共享内存占 ${digits(shared)} GiB` : low ? "" : "，不紧张"}。`,
  };
}
