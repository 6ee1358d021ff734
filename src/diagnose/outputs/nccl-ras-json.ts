// Takes what `ncclras -f json` prints apart into reports. NCCL 2.28.7 and newer.
import { addTrouble, type Gap, newReport, type RasComm, type RasRank, type RasReport } from "./nccl-ras-report.ts";
import type { OutputText } from "./output-text.ts";
import { groupBy } from "./said.ts";

/** Results that are no error: done, and still going on. */
const FINE: readonly unknown[] = [0, 7, undefined];
const RESULTS = [
  "",
  "Unhandled CUDA error",
  "System error",
  "Internal error",
  "Invalid argument",
  "Invalid usage",
  "Remote process error",
];

interface Found {
  reports: RasReport[];
  lines: number[];
}

type Json = Record<string, unknown>;

/** Reports, and the numbers of the lines that they stand on. */
export function rasJson({ lines }: OutputText): Found {
  const found: Found = { reports: [], lines: [] };
  const printed = lines.filter(({ command }) => !command);
  for (let at = 0; at < printed.length; at++) {
    // Its first lines tell it from any other object, so that only one is looked at to its end.
    const head = printed.slice(at, at + 8).map(({ text }) => text);
    if (!/^\s*\{/.test(head[0] ?? "") || !/"communicators_count"/.test(head.join("\n"))) continue;
    const end = objectEnd(printed.slice(at).map(({ text }) => text));
    const part = printed.slice(at, end === null ? undefined : at + end);
    const text = part.map((one) => one.text).join("\n");
    const line = part[0]?.line ?? 1;
    const json = end === null ? null : parse(text);
    found.reports.push(json ? toReport(json, line) : cutReport(text, line));
    found.lines = found.lines.concat(part.map((one) => one.line));
    at += part.length - 1;
  }
  return found;
}

/** How many of the rows an object takes that begins on the first. A walk over the text: rows may be of any length. */
function objectEnd(rows: readonly string[]): number | null {
  let depth = 0;
  let quoted = false;
  for (const [at, row] of rows.entries()) {
    for (let char = 0; char < row.length; char++) {
      const one = row[char];
      if (quoted && one === "\\") char += 1;
      else if (one === '"') quoted = !quoted;
      else if (!quoted && one === "{") depth += 1;
      else if (!quoted && one === "}") depth -= 1;
    }
    if (depth <= 0) return at + 1;
  }
  return null;
}

function parse(text: string): Json | null {
  try {
    return toObject(JSON.parse(text));
  } catch {
    return null;
  }
}

function cutReport(text: string, line: number): RasReport {
  const report = { ...newReport(line), cut: "the rest of the JSON" };
  const version = /"nccl_version":\s*"(?<version>[\w.]{1,30})"/.exec(text)?.groups?.version;
  if (version) report.version = { value: version, line };
  return report;
}

function toReport(json: Json, line: number): RasReport {
  const report = newReport(line);
  const version = json.nccl_version;
  if (typeof version === "string" && /^[\w.+-]{1,30}$/.test(version)) report.version = { value: version, line };
  const gpus = new Set<string>();
  const counts: unknown[][] = [];
  const lost = new Map<string, { dead: boolean; rank: RasRank }>();
  for (const one of toList(json.communicators)) {
    const ranks = toList(one.ranks);
    const missing = toList(one.missing_ranks);
    for (const { host, nvml_dev } of [...ranks, ...missing]) gpus.add(`${host} ${nvml_dev}`);
    counts.push(ranks.map(({ collective_counts }) => collective_counts));
    report.communicators += 1;
    const comm = toComm(one, line);
    for (const rank of missing) {
      const status = toObject(rank.status);
      if (status.considered_dead === true || status.unresponsive === true) {
        const named = toRank(rank, line);
        comm.missing.push(named);
        lost.set(`${named.host} ${named.pid ?? rank.nvml_dev}`, { dead: status.considered_dead === true, rank: named });
      } else addTrouble(report, "mismatch", line);
    }
    if (comm.failed.length > 0) addTrouble(report, "error", line);
    if (comm.gaps.length > 0) addTrouble(report, "mismatch", line);
    if (comm.failed.length + comm.gaps.length + comm.missing.length > 0) report.comms.push(comm);
  }
  for (const { dead, rank } of lost.values()) {
    addTrouble(report, dead ? "dead" : "incomplete", line);
    const list = dead ? report.dead : report.silent;
    list.count += 1;
    list.named.push(rank);
  }
  report.gpus = { value: gpus.size, line };
  report.counts = JSON.stringify(counts);
  // The whole job first, as in the text.
  report.comms.sort((a, b) => (b.size ?? 0) - (a.size ?? 0));
  return report;
}

function toComm(json: Json, line: number): RasComm {
  const ranks = toList(json.ranks);
  const size = typeof json.size === "number" ? json.size : null;
  const hash = String(json.hash ?? "").slice(0, 40);
  const failed = ranks.flatMap((rank): RasRank[] => {
    const { init_state, async_error } = toObject(rank.status);
    const bad = [init_state, async_error].find((result) => !FINE.includes(result));
    return bad === undefined ? [] : [{ ...toRank(rank, line), error: RESULTS[Number(bad)] ?? "Unexpected error" }];
  });
  const names = new Set(
    ranks.flatMap((rank) => Object.keys(toObject(rank.collective_counts)).filter((name) => /^\w{1,40}$/.test(name))),
  );
  const gaps = [...names].flatMap((name): Gap[] => {
    const groups = groupBy(ranks, (rank) => Number(toObject(rank.collective_counts)[name] ?? 0));
    if (groups.size < 2) return [];
    return [
      {
        collective: name,
        line,
        groups: [...groups].map(([operation, some]) => ({
          operation,
          count: some.length,
          ranks: some.map((rank) => toRank(rank, line)),
          line,
        })),
      },
    ];
  });
  return { name: hash, hash, size, line, missing: [], failed, gaps };
}

function toRank({ rank, host, pid, cuda_dev, nvml_dev }: Json, line: number): RasRank {
  const number = (value: unknown): number | null => (typeof value === "number" && value >= 0 ? value : null);
  return {
    rank: number(rank),
    host: typeof host === "string" && host !== "unknown" ? host.slice(0, 100) : null,
    pid: number(pid),
    gpu: number(nvml_dev) ?? number(cuda_dev),
    error: null,
    line,
  };
}

function toObject(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function toList(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}
