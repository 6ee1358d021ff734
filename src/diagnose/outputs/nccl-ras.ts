// ncclras: what a running NCCL job's own RAS service knows: dead processes, ranks behind the others, errors.
//   Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
//       #  in group  per comm  per node  per comm  in group
//       0         1         4       7-8        32        32   RUNNING  INCOMPLETE
import { rasJson } from "./nccl-ras-json.ts";
import { type RasRank, type RasReport, worstOf } from "./nccl-ras-report.ts";
import { type Culprit, type FoundGap, sayReport } from "./nccl-ras-say.ts";
import { rasTextLines, rasTextReports } from "./nccl-ras-text.ts";
import type { OutputReader, ReadProblem, Refusal, Said, ToolReading } from "./output-reader.ts";
import { type OutputText, shortRows } from "./output-text.ts";
import { createFacts, type FactsBuilder, said } from "./said.ts";

const FAILURES: readonly [RegExp, Refusal, string, string][] = [
  [
    /^Failed to connect to the NCCL RAS service!|^Connecting to \S{1,100}:28028: |^NCCL unexpectedly closed the connection|^Resolving \S{1,100}:28028: |^n(?:c|cat|etcat): .{0,100}\b28028\b.{0,40}(?:refused|timed out|failed)/i,
    "no-service",
    "No NCCL RAS service answers here",
    "这里没有 NCCL RAS 服务应答",
  ],
  [
    /^Ncat: Connection refused\.$|^Connection refused$/,
    "no-service",
    "No NCCL RAS service answers here",
    "这里没有 NCCL RAS 服务应答",
  ],
  [
    /^Connection timed out(?:; retrying\.\.\.)?$/,
    "timeout",
    "The NCCL RAS service did not answer in time",
    "NCCL RAS 服务应答超时",
  ],
  [/^Usage: (?:\S{0,200}\/)?ncclras\b/, "usage", "ncclras printed its usage", "只打印了 ncclras 的用法"],
];
/** Said by many programs: they count only below a command that asks for RAS. */
const ANYBODYS = /^Ncat: Connection refused\.$|^Connection refused$|^Connection timed out/;

export const ncclRas: OutputReader = {
  id: "nccl-ras",
  command: "ncclras -v; sleep 30; ncclras -v",
  owns: (line) => /(?:^|[\s/])ncclras\b|\b28028\b/.test(line),
  knows: (text) => {
    const lines = [...rasTextLines(shortRows(text)), ...rasJson(text).lines];
    return lines.length > 0 ? lines : failuresOf(text).map(({ line }) => line);
  },
  read,
};

interface Failure {
  line: number;
  refusal: Refusal;
  en: string;
  zh: string;
}

function failuresOf({ lines }: OutputText): Failure[] {
  const asked = lines.some(({ command, text }) => command && ncclRas.owns(text));
  const follows = /^Please make sure that the NCCL job has the RAS service enabled/;
  return lines.flatMap(({ line, text }) => {
    const row = text.trim();
    const found = FAILURES.find(([pattern]) => pattern.test(row) && (asked || !ANYBODYS.test(row)));
    if (found) return [{ line, refusal: found[1], en: found[2], zh: found[3] }];
    return follows.test(row) ? [{ line, refusal: "no-service" as const, en: "", zh: "" }] : [];
  });
}

function read(text: OutputText): ToolReading {
  const reports = [...rasTextReports(shortRows(text)), ...rasJson(text).reports].sort((a, b) => a.line - b.line);
  const [first] = reports;
  const last = reports.at(-1);
  if (!first || !last) return refuse(failuresOf(text)[0]);
  const facts = createFacts();
  const version = last.version ?? first.version;
  facts.add("nccl_version", version?.value, version ? [version.line] : []);
  const gpus = last.gpus ?? first.gpus;
  facts.add("world_size", gpus?.value, gpus ? [gpus.line] : []);
  const worst = worstOf(last);
  const known = worst !== null || (last.communicators > 0 && last.cut === null);
  facts.add("ras_state", known ? (worst?.trouble ?? "ok") : null, [worst?.line ?? last.line]);
  const missing = last.dead.count + last.silent.count;
  if (known)
    facts.add(
      "missing",
      missing,
      [...last.dead.named, ...last.silent.named, last].map(({ line }) => line).slice(0, missing || 1),
    );
  const moving = reports.length > 1 ? haveMoved(first, last) : null;
  facts.add("counts_moving", moving, [first.line, last.line]);
  const gap = gapOf(last);
  if (gap) addGap(facts, gap);
  const who = culpritOf(last, gap);
  addCulprit(facts, who, gpus?.value ?? null);
  const finding = sayReport(last, { gap, who, moving, gpus: gpus?.value ?? null });

  const problems: ReadProblem[] = [];
  if (last.cut) problems.push({ line: last.line, say: `not pasted: ${last.cut}` });
  else if (worst?.trouble === "mismatch" && moving === null)
    problems.push({
      line: worst.line,
      say: "one reading of counts that differ is normal in a running job; paste a second one, 30 s later",
    });
  if (problems.length === 0) return { status: "read", finding: said(finding.en, finding.zh), facts: facts.facts };
  const ends: Said = last.cut
    ? { en: `Not pasted: ${last.cut}.`, zh: "内容没有粘贴完整。" }
    : { en: "One reading only: whether it moves is not known.", zh: "只有一次读数，不知道是否还在推进。" };
  return {
    status: "partial",
    finding: said(`${finding.en} ${ends.en}`, `${finding.zh}${ends.zh}`),
    facts: facts.facts,
    problems,
  };
}

function refuse(failure: Failure | undefined): ToolReading {
  const { line, refusal, en, zh } = failure ?? {
    line: 1,
    refusal: "empty" as const,
    en: "Nothing of a RAS report was read",
    zh: "没有读到 RAS 报告",
  };
  const where = refusal === "no-service" ? [" on a node where the job still runs", "在作业仍在运行的节点上"] : ["", ""];
  return {
    status: "refused",
    refusal,
    finding: said(
      `${en || "No NCCL RAS service answers here"}. Run${where[0]}: ${ncclRas.command}`,
      `${zh || "这里没有 NCCL RAS 服务应答"}。请${where[1]}运行：${ncclRas.command}`,
    ),
    line,
  };
}

/** Is any count another one now, or did those that differed become equal? Null where nothing can be compared. */
function haveMoved(first: RasReport, last: RasReport): boolean | null {
  if (first.counts !== null && last.counts !== null) return first.counts !== last.counts;
  const before = countsOf(first);
  const after = countsOf(last);
  if (before.size === 0) return null;
  return [...before].some(([name, counts]) => after.get(name) !== counts);
}

function countsOf({ comms }: RasReport): Map<string, string> {
  const all = new Map<string, string>();
  for (const { hash, gaps } of comms) {
    for (const { collective, groups } of gaps) {
      const counts = groups.map(({ operation, count }) => `${operation}x${count}`);
      all.set(`${hash} ${collective}`, counts.sort().join(" "));
    }
  }
  return all;
}

/** The gap that tells most: one that names a single rank behind, else the first. */
function gapOf({ comms }: RasReport): FoundGap | null {
  const gaps = comms.flatMap((comm) =>
    comm.gaps.flatMap((gap): FoundGap[] => {
      const groups = [...gap.groups].sort((a, b) => b.operation - a.operation);
      const [ahead] = groups;
      const behind = groups.at(-1);
      return ahead && behind && ahead !== behind ? [{ ...gap, comm, ahead, behind }] : [];
    }),
  );
  return gaps.find(({ behind }) => behind.count === 1) ?? gaps[0] ?? null;
}

function addGap(facts: FactsBuilder, { collective, ahead, behind, line }: FoundGap): void {
  facts.add("collective", collective, [line]);
  facts.add("ops_ahead", ahead.operation, [ahead.line]);
  facts.add("ops_behind", behind.operation, [behind.line]);
}

/** Dead or silent processes, ranks with an error of their own, or the ranks on the smaller side of a gap. */
function culpritOf(report: RasReport, gap: FoundGap | null): Culprit {
  const worst = worstOf(report)?.trouble;
  if (worst === "dead" || worst === "incomplete") {
    const lost = worst === "dead" && report.dead.count > 0 ? report.dead : report.silent;
    // The processes are named above; their ranks in the largest communicator that misses as many.
    const comm = report.comms.find(({ missing }) => missing.length > 0) ?? null;
    if (lost.count !== 1) return { ranks: lost.named, comm: null };
    const [process] = lost.named;
    const rank =
      comm?.missing.find(({ pid }) => pid !== null && pid === process?.pid) ??
      (comm?.missing.length === 1 ? comm.missing[0] : null);
    const merged = {
      rank: null,
      host: null,
      pid: null,
      gpu: null,
      error: null,
      line: report.line,
      ...rank,
      ...withoutNulls(process),
    };
    return { ranks: [merged], comm: rank ? comm : null };
  }
  if (worst === "error") {
    const comm = report.comms.find(({ failed }) => failed.length > 0) ?? null;
    const own = comm?.failed.filter(({ error }) => error !== "Remote process error") ?? [];
    return { ranks: own.length > 0 ? own : (comm?.failed ?? []), comm };
  }
  if (!gap) return { ranks: [], comm: null };
  const side = gap.behind.count <= gap.ahead.count || gap.ahead.count > 1 ? gap.behind : gap.ahead;
  return { ranks: side.count === side.ranks.length ? side.ranks : [], comm: gap.comm };
}

function withoutNulls(one: RasRank | undefined): Partial<RasRank> {
  return Object.fromEntries(Object.entries(one ?? {}).filter(([, value]) => value !== null));
}

function addCulprit(facts: FactsBuilder, { ranks, comm }: Culprit, gpus: number | null): void {
  const [one, other] = ranks;
  if (!one) return;
  const hosts = new Set(ranks.map(({ host }) => host));
  if (hosts.size === 1)
    facts.add(
      "host",
      one.host,
      ranks.map(({ line }) => line),
    );
  if (other) return;
  facts.add("pid", one.pid, [one.line]);
  facts.add("gpu", one.gpu, [one.line]);
  facts.add("group_rank", one.rank, [one.line]);
  if (comm?.size != null && comm.size === gpus) facts.add("rank", one.rank, [one.line]);
}
