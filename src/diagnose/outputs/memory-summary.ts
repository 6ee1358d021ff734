// torch.cuda.memory_summary() and memory_stats(): what PyTorch's allocator holds, and what of it is in use.
//   |                  PyTorch CUDA memory summary, device ID 5                 |
//   |            CUDA OOMs: 2            |        cudaMalloc retries: 13        |
//   | GPU reserved memory   |  75776 MiB |  76800 MiB |   1930 GiB |   1856 GiB |
import type { OutputReader, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, digits, gib, said } from "./said.ts";

const TITLE = /^\|\s+PyTorch CUDA memory summary, device ID (\d{1,3})\s+\|$/;
const COUNTS = /^\|\s+CUDA OOMs: (\d{1,9})\s+\|\s+cudaMalloc retries: (\d{1,9})\s+\|$/;
const ROW = /^\|\s+?([A-Z][A-Za-z -]{3,30}?)\s+\|\s+(\d{1,12} [KMGTP]?i?B?)\s+\|\s+(\d{1,12} [KMGTP]?i?B?)\s+\|/;
/** 'allocated_bytes.all.current': 55834574848, in a dict, as a tuple, as JSON or one a line. */
const STAT =
  /['"]?\b([a-z_]{3,40}(?:\.(?:all|large_pool|small_pool)\.(?:current|peak|allocated|freed))?)['"]?\s{0,4}[:,=]\s{0,4}(\d{1,20})\b/g;
const STATS_KEY = /\b(?:allocated|reserved)_bytes\.all\.(?:peak|current)\b/;

interface Device {
  gpu: number | null;
  lines: number[];
  ooms: number | null;
  retries: number | null;
  /** Current and peak in GiB, by the row's name. */
  rows: Map<string, { current: number; peak: number; line: number }>;
}

export const memorySummary: OutputReader = {
  id: "memory-summary",
  command: "print(torch.cuda.memory_summary())",
  owns: (line) => /memory_(?:summary|stats)\(/.test(line),
  knows: (text) => devicesOf(text).flatMap(({ lines }) => lines),
  read,
};

function read(text: OutputText): ToolReading {
  const devices = devicesOf(text);
  // Of several cards, the one that ran out, else the fullest.
  const [device] = devices.sort((a, b) => (b.ooms ?? 0) - (a.ooms ?? 0) || reservedOf(b) - reservedOf(a));
  const facts = createFacts();
  if (!device) throw new Error("memory-summary reads only what it knows");
  const allocated = device.rows.get("Allocated memory");
  const reserved = device.rows.get("GPU reserved memory");
  const idle = device.rows.get("Non-releasable memory");
  const first = device.lines[0] ?? 1;
  facts.add("gpu", device.gpu, [first]);
  facts.add("oom_count", device.ooms, [device.lines[1] ?? first]);
  facts.add("alloc_retries", device.retries, [device.lines[1] ?? first]);
  if (allocated) {
    facts.add("allocated_gib", allocated.current, [allocated.line]);
    facts.add("allocated_peak_gib", allocated.peak, [allocated.line]);
  }
  if (reserved) {
    facts.add("reserved_gib", reserved.current, [reserved.line]);
    facts.add("reserved_peak_gib", reserved.peak, [reserved.line]);
  }
  if (idle) facts.add("non_releasable_gib", idle.current, [idle.line]);
  const gpu = device.gpu === null ? { en: "", zh: "" } : { en: `GPU ${device.gpu}: `, zh: `${device.gpu} 号 GPU：` };
  if (!allocated || !reserved) {
    return {
      status: "partial",
      finding: allocated
        ? said(
            `${gpu.en}${digits(allocated.current)} GiB allocated; the row of reserved memory is missing.`,
            `${gpu.zh}已分配 ${digits(allocated.current)} GiB；缺少保留显存那一行。`,
          )
        : said(`${gpu.en}the table is cut before its first figures.`, `${gpu.zh}表格在第一行数字之前就断了。`),
      facts: facts.facts,
      problems: [
        { line: device.lines.at(-1) ?? first, say: 'cut before "GPU reserved memory"; paste the whole table' },
      ],
    };
  }
  const gap = reserved.current - allocated.current;
  facts.add("reserved_unalloc_gib", gap, [allocated.line, reserved.line]);
  const ooms = device.ooms
    ? { en: ` and ${count(device.ooms, "OOM")}`, zh: `、OOM ${device.ooms} 次` }
    : { en: "", zh: "" };
  const retries = device.retries === null ? null : count(device.retries, "cudaMalloc retry", "cudaMalloc retries");
  return {
    status: "read",
    finding: said(
      `${gpu.en}reserved ${digits(reserved.current)} GiB, allocated ${digits(allocated.current)}: ${digits(gap)} GiB unused in the cache${retries === null ? "" : `, ${retries}`}${ooms.en}.`,
      `${gpu.zh}已保留 ${digits(reserved.current)} GiB，已分配 ${digits(allocated.current)} GiB，缓存中 ${digits(gap)} GiB 未使用${retries === null ? "" : `，cudaMalloc 重试 ${device.retries} 次`}${ooms.zh}。`,
    ),
    facts: facts.facts,
  };
}

function reservedOf(device: Device): number {
  return device.rows.get("GPU reserved memory")?.current ?? 0;
}

function devicesOf(text: OutputText): Device[] {
  return [...boxesOf(text), ...statsOf(text)];
}

/** One box for each card. */
function boxesOf(text: OutputText): Device[] {
  const devices: Device[] = [];
  for (const { line, text: row } of text.lines) {
    const title = TITLE.exec(row.trim());
    if (title) devices.push({ gpu: Number(title[1]), lines: [], ooms: null, retries: null, rows: new Map() });
    const device = devices.at(-1);
    if (!device || !/^\s*\|/.test(row)) continue;
    device.lines.push(line);
    const counts = COUNTS.exec(row.trim());
    if (counts) [device.ooms, device.retries] = [Number(counts[1]), Number(counts[2])];
    const found = ROW.exec(row.trim());
    const [current, peak] = [gib(found?.[2] ?? ""), gib(found?.[3] ?? "")];
    if (found?.[1] && current !== null && peak !== null) device.rows.set(found[1], { current, peak, line });
  }
  return devices;
}

/** memory_stats() has no card's number and counts in bytes. */
function statsOf(text: OutputText): Device[] {
  if (!text.lines.some((line) => STATS_KEY.test(line.text))) return [];
  const found = new Map<string, { value: number; line: number }>();
  for (const { line, text: row } of text.lines) {
    for (const [, key = "", value] of row.matchAll(STAT)) {
      if (/[._]/.test(key) && !found.has(key)) found.set(key, { value: Number(value), line });
    }
  }
  const rows: Device["rows"] = new Map();
  for (const [name, key] of [
    ["Allocated memory", "allocated_bytes"],
    ["GPU reserved memory", "reserved_bytes"],
    ["Non-releasable memory", "inactive_split_bytes"],
  ] as const) {
    const current = found.get(`${key}.all.current`);
    const peak = found.get(`${key}.all.peak`) ?? current;
    if (current && peak)
      rows.set(name, { current: current.value / 1024 ** 3, peak: peak.value / 1024 ** 3, line: current.line });
  }
  const lines = [...new Set([...found.values()].map(({ line }) => line))];
  const ooms = found.get("num_ooms")?.value ?? null;
  return [{ gpu: null, lines, ooms, retries: found.get("num_alloc_retries")?.value ?? null, rows }];
}
