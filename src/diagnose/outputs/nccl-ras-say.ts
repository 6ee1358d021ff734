// What RAS knows, in one sentence.
import { type Gap, type RasComm, type RasRank, type RasReport, worstOf } from "./nccl-ras-report.ts";
import type { Said } from "./output-reader.ts";
import { count } from "./said.ts";

export interface FoundGap extends Gap {
  comm: RasComm;
  ahead: Gap["groups"][number];
  behind: Gap["groups"][number];
}

export interface Culprit {
  ranks: RasRank[];
  comm: RasComm | null;
}

export function sayReport(
  report: RasReport,
  { gap, who, moving, gpus }: { gap: FoundGap | null; who: Culprit; moving: boolean | null; gpus: number | null },
): Said {
  const worst = worstOf(report)?.trouble;
  const one = who.ranks.length === 1 ? nameOf(who, gpus) : null;
  if (!worst) {
    if (report.communicators === 0)
      return { en: `RAS report: no table of communicators.`, zh: `RAS 报告里没有 communicator 表。` };
    return {
      en: `No fault found by RAS among ${gpus ?? "all"} GPUs and ${count(report.communicators, "communicator")}: every process answers.`,
      zh: `RAS 未发现故障：${gpus ?? "全部"} 个 GPU、${report.communicators} 个 communicator，所有进程都有应答。`,
    };
  }
  if (worst === "dead" || worst === "incomplete") return sayLost(worst, report, { who, one, gpus });
  if (worst === "error") {
    const errors = [...new Set(who.ranks.flatMap(({ error }) => error ?? []))].join(", ");
    return {
      en: `${one?.en ?? `${who.ranks.length || "Some"} ranks`} reported: ${errors || "an error"}${inJob(gpus).en}.`,
      zh: `${one?.zh ?? `${who.ranks.length || "部分"} 个 rank `}报告错误：${errors || "未注明"}${inJob(gpus).zh}。`,
    };
  }
  if (!gap)
    return {
      en: `Ranks of a communicator have different status${inJob(gpus).en}.`,
      zh: `同一 communicator 内各 rank 状态不一致${inJob(gpus).zh}。`,
    };
  return sayGap(gap, one, who, moving);
}

function inJob(gpus: number | null): Said {
  return gpus === null ? { en: "", zh: "" } : { en: `; ${gpus} GPUs in the job`, zh: `（共 ${gpus} 个 GPU）` };
}

function sayLost(
  trouble: "dead" | "incomplete",
  { dead, silent }: RasReport,
  { who, one, gpus }: { who: Culprit; one: Said | null; gpus: number | null },
): Said {
  const { count: n } = trouble === "dead" ? dead : silent;
  const [host, other] = [...new Set(who.ranks.flatMap((rank) => rank.host ?? []))];
  const on = host && !other && !one ? { en: ` on ${host}`, zh: `（都在 ${host}）` } : { en: "", zh: "" };
  // The table says that data is missing before it is said of whom.
  const many =
    n === 0 ? { en: "Some processes", zh: "部分进程" } : { en: count(n, "process", "processes"), zh: `${n} 个进程` };
  const single = one !== null || n === 1;
  const does =
    trouble === "dead"
      ? { en: `${single ? "is" : "are"} considered dead`, zh: "被 RAS 判定为已死" }
      : { en: `${single ? "does" : "do"} not answer`, zh: "没有应答 RAS" };
  return {
    en: `${one?.en ?? many.en + on.en} ${does.en}${inJob(gpus).en}.`,
    zh: `${one?.zh ?? many.zh + on.zh}${does.zh}${inJob(gpus).zh}。`,
  };
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
    zh: `${one?.zh ?? `${comm.name} 中 ${side.count} 个 rank `}比其余 ${others} 个${late ? "落后" : "超前"} ${by} 个${collective ? ` ${collective}` : "集合通信"}（${behind.operation} 对 ${ahead.operation}）${stillZh}。`,
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
  const atZh = where.length > 0 ? `（${where.join("，").replace("node ", "节点 ")}）` : " ";
  if (rank === null) return { en: `A process${at}`, zh: `一个进程${atZh.trim()}` };
  if (global) return { en: `Rank ${rank}${at}`, zh: `${rank} 号 rank${atZh}` };
  return {
    en: `Rank ${rank} of ${comm?.name ?? "a communicator"}${at}`,
    zh: `${comm?.name ?? "某个 communicator"} 的 ${rank} 号 rank${atZh}`,
  };
}
