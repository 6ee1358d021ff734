// ncclras: what a running NCCL job's own RAS service knows: dead processes, ranks behind the others, errors.
//   Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
//       #  in group  per comm  per node  per comm  in group
//       0         1         4       7-8        32        32   RUNNING  INCOMPLETE
import { rasJson } from "./nccl-ras-json.ts";
import { type Gap, type RasComm, type RasRank, type RasReport, worstOf } from "./nccl-ras-report.ts";
import { rasTextLines, rasTextReports } from "./nccl-ras-text.ts";
import type { OutputReader, ReadProblem, Refusal, Said, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { count, createFacts, type FactsBuilder, said } from "./said.ts";

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
    const lines = [...rasTextLines(text), ...rasJson(text).lines];
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
  const reports = [...rasTextReports(text), ...rasJson(text).reports].sort((a, b) => a.line - b.line);
  const [first] = reports;
  const last = reports.at(-1);
  if (!first || !last || rasTextLines(text).length + rasJson(text).lines.length === 0)
    return refuse(failuresOf(text)[0]);
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
  const where = refusal === "no-service" ? ["on a node where the job still runs", "在作业仍在运行的节点上"] : ["", ""];
  return {
    status: "refused",
    refusal,
    finding: said(
      `${en || "No NCCL RAS service answers here"}. Run ${where[0]}: ${ncclRas.command}`,
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

interface FoundGap extends Gap {
  comm: RasComm;
  ahead: Gap["groups"][number];
  behind: Gap["groups"][number];
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

interface Culprit {
  ranks: RasRank[];
  comm: RasComm | null;
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

function sayReport(
  report: RasReport,
  { gap, who, moving, gpus }: { gap: FoundGap | null; who: Culprit; moving: boolean | null; gpus: number | null },
): Said {
  const worst = worstOf(report)?.trouble;
  const all = gpus === null ? "" : ` of ${gpus} GPUs`;
  const total = gpus === null ? "" : `（共 ${gpus} 个 GPU）`;
  const one = who.ranks.length === 1 ? nameOf(who, gpus) : null;
  if (!worst) {
    if (report.communicators === 0)
      return { en: `RAS report${all}: no table of communicators.`, zh: `RAS 报告${total}里没有 communicator 表。` };
    return {
      en: `No fault found by RAS among ${gpus ?? "all"} GPUs and ${count(report.communicators, "communicator")}: every process answers.`,
      zh: `RAS 未发现故障：${gpus ?? "全部"} 个 GPU、${report.communicators} 个 communicator，所有进程都有应答。`,
    };
  }
  if (worst === "dead" || worst === "incomplete") {
    const n = worst === "dead" ? report.dead.count : report.silent.count;
    const does =
      worst === "dead"
        ? n === 1
          ? "is dead for RAS"
          : "are dead for RAS"
        : n === 1
          ? "does not answer"
          : "do not answer";
    const doesZh = worst === "dead" ? "被 RAS 判定为已死" : "没有应答 RAS";
    return {
      en: `${one?.en ?? count(n, "process", "processes")} ${does}${all ? `;${all.replace(" of", "")} in the job` : ""}.`,
      zh: `${one?.zh ?? `${n} 个进程`}${doesZh}${total}。`,
    };
  }
  if (worst === "error") {
    const errors = [...new Set(who.ranks.map(({ error }) => error))].filter((error) => error !== null).join(", ");
    const n = who.ranks.length || "Some";
    return {
      en: `${one?.en ?? `${n} ranks`} reported: ${errors || "an error"}${all ? `;${all.replace(" of", "")} in the job` : ""}.`,
      zh: `${one?.zh ?? `${who.ranks.length || "部分"} 个 rank`}报告错误：${errors || "未注明"}${total}。`,
    };
  }
  if (!gap)
    return {
      en: `Ranks of a communicator have different status${all}.`,
      zh: `同一 communicator 内各 rank 状态不一致${total}。`,
    };
  return sayGap(gap, one, who, moving);
}

function sayGap(
  { collective, ahead, behind, comm }: FoundGap,
  one: Said | null,
  who: Culprit,
  moving: boolean | null,
): Said {
  const late = !who.ranks.some((rank) => ahead.ranks.includes(rank));
  const by = ahead.operation - behind.operation;
  const others = (comm.size ?? ahead.count + behind.count) - (late ? behind.count : ahead.count);
  const what = collective ?? (by === 1 ? "collective" : "collectives");
  const side = late ? behind : ahead;
  const still = moving === null ? "" : moving ? "; the counts are moving" : "; the counts did not move";
  const stillZh = moving === null ? "" : moving ? "；计数仍在推进" : "；两次读数之间没有推进";
  return {
    en: `${one?.en ?? `${count(side.count, "rank")} of ${comm.name}`} ${side.count === 1 ? "is" : "are"} ${by} ${what} ${late ? "behind" : "ahead of"} the other ${others} (${behind.operation} and ${ahead.operation})${still}.`,
    zh: `${one?.zh ?? `${comm.name} 中 ${side.count} 个 rank`}比其余 ${others} 个${late ? "落后" : "超前"} ${by} 个 ${collective ?? "集合通信"}（${behind.operation} 对 ${ahead.operation}）${stillZh}。`,
  };
}

/** "Rank 21 (node 10.0.0.3, GPU 5)"; a rank inside a smaller group is said to be one. */
function nameOf({ ranks, comm }: Culprit, gpus: number | null): Said {
  const { rank = null, host = null, pid = null, gpu = null } = ranks[0] ?? {};
  const global = comm?.size != null && comm.size === gpus;
  const where = [
    host === null ? "" : `node ${host}`,
    gpu === null ? "" : `GPU ${gpu}`,
    pid === null ? "" : `pid ${pid}`,
  ].filter((part) => part !== "");
  const at = where.length > 0 ? ` (${where.join(", ")})` : "";
  const atZh = where.length > 0 ? `（${where.join("，").replace("node ", "节点 ").replace("pid ", "pid ")}）` : "";
  if (rank === null) return { en: `A process${at}`, zh: `一个进程${atZh}` };
  if (global) return { en: `Rank ${rank}${at}`, zh: `${rank} 号 rank${atZh}` };
  return {
    en: `Rank ${rank} of ${comm?.name ?? "a communicator"}${at}`,
    zh: `${comm?.name ?? "某个 communicator"} 的 ${rank} 号 rank${atZh}`,
  };
}
