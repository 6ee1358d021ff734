// squeue, sacct and scontrol show job: how a Slurm job ended, on which nodes, and how much memory its steps used.
//             JobID        JobName          State ExitCode    Elapsed     MaxRSS
//   JobId=482913 JobName=moe-16b   JobState=NODE_FAIL Reason=NodeDown
import type { OutputReader, Said, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { createFacts, digits, gib, said } from "./said.ts";
import { type Row, rowsOf } from "./slurm-rows.ts";

const COMMAND = "sacct -j JOB --format=JobID,State,ExitCode,Elapsed,Timelimit,MaxRSS,NodeList";
const NO_JOB = /slurm_load_jobs error: Invalid job id specified|Invalid job id: /;
const NO_ACCOUNTING = /Slurm accounting storage is disabled/;
const NO_CONTROLLER = /Unable to contact slurm controller|slurm_load_jobs error: (?:Zero Bytes|Socket timed out)/;
const BY_HEADER: Record<string, string> = {
  JOBID: "job",
  JOBIDRAW: "job",
  ST: "state",
  STATE: "state",
  JOBSTATE: "state",
  TIME: "elapsed",
  ELAPSED: "elapsed",
  RUNTIME: "elapsed",
  TIME_LIMIT: "limit",
  TIMELIMIT: "limit",
  NODES: "nodes",
  NNODES: "nodes",
  NUMNODES: "nodes",
  ALLOCNODES: "nodes",
  NODELIST: "nodelist",
  "NODELIST(REASON)": "nodelist",
  REASON: "reason",
  EXITCODE: "exit",
  MAXRSS: "rss",
  RESTARTS: "restarts",
  RESTARTCNT: "restarts",
};
/** squeue's two letters. */
const STATES: Record<string, string> = {
  BF: "BOOT_FAIL",
  CA: "CANCELLED",
  CD: "COMPLETED",
  CF: "CONFIGURING",
  CG: "COMPLETING",
  DL: "DEADLINE",
  F: "FAILED",
  NF: "NODE_FAIL",
  OOM: "OUT_OF_MEMORY",
  PD: "PENDING",
  PR: "PREEMPTED",
  R: "RUNNING",
  RQ: "REQUEUED",
  S: "SUSPENDED",
  TO: "TIMEOUT",
};

export const slurmJobs: OutputReader = {
  id: "slurm-jobs",
  command: COMMAND,
  owns: (line) => /^(?:\S*\/)?(?:squeue|sacct|scontrol)\b/.test(line),
  knows: (text) => {
    const rows = rowsOf(text, (header) => BY_HEADER[header] ?? null);
    const refused = text.lines.filter(
      ({ text: row }) => NO_JOB.test(row) || NO_ACCOUNTING.test(row) || NO_CONTROLLER.test(row),
    );
    return [...rows.header, ...rows.rows.flatMap(({ lines }) => lines), ...refused.map(({ line }) => line)];
  },
  read,
};

function read(text: OutputText): ToolReading {
  const { header, rows } = rowsOf(text, (name) => BY_HEADER[name] ?? null);
  const jobs = rows.filter(({ cells }) => !/\.(?:batch|extern|interactive|\d+)\+?$/.test(cells.job?.value ?? ""));
  const main = jobs[0] ?? rows[0];
  if (!main) return refuse(text, header[0] ?? 1);
  const job = (main.cells.job?.value ?? "").replace(/\+$/, "").split(".")[0] ?? "";
  const steps = rows.filter(({ cells }) => (cells.job?.value ?? "").startsWith(job));
  const facts = createFacts();
  const text_ = (fact: string, key: string): string | null => {
    const cell = main.cells[key];
    const value = cell?.value.replace(/\+$/, "") ?? "";
    if (!cell || value === "" || value === "(null)") return null;
    facts.add(fact, value, [cell.line]);
    return value;
  };
  if (job !== "") facts.add("job", job, [main.cells.job?.line ?? main.lines[0] ?? 1]);
  const state = stateOf(main);
  facts.add("job_state", state, [main.cells.state?.line ?? main.lines[0] ?? 1]);
  const exit = /^(\d{1,3}):(\d{1,3})$/.exec(main.cells.exit?.value ?? "");
  const at = main.cells.exit?.line ?? 1;
  if (exit) {
    facts.add("exitcode", Number(exit[1]), [at]);
    // 125 is no signal: Slurm's mark for a step that the kernel killed for memory.
    if (Number(exit[2]) > 0 && Number(exit[2]) < 65) facts.add("signal", Number(exit[2]), [at]);
  }
  const listed = main.cells.nodelist;
  const bracketed = /^\(([\w, -]{1,200})\)$/.exec(listed?.value ?? "")?.[1];
  if (bracketed !== undefined) facts.add("reason", bracketed, [listed?.line ?? 1]);
  else text_("nodelist", "nodelist");
  if (bracketed === undefined && main.cells.reason?.value !== "None") text_("reason", "reason");
  const nodes = Number(main.cells.nodes?.value.split("-")[0]) || nodesIn(String(facts.facts.nodelist?.value ?? ""));
  if (nodes) facts.add("nodes", nodes, [main.cells.nodes?.line ?? listed?.line ?? 1]);
  const elapsed = seconds(main.cells.elapsed?.value);
  facts.add("elapsed_s", elapsed, [main.cells.elapsed?.line ?? 1]);
  facts.add("time_limit_s", seconds(main.cells.limit?.value), [main.cells.limit?.line ?? 1]);
  const restarts = main.cells.restarts;
  facts.add("restarts", restarts && Number(restarts.value), restarts ? [restarts.line] : []);
  const rss = steps
    .flatMap(({ cells }) => (cells.rss ? [{ gib: gib(cells.rss.value, "B"), line: cells.rss.line }] : []))
    .filter(({ gib: size }) => size !== null)
    .sort((a, b) => (b.gib ?? 0) - (a.gib ?? 0))[0];
  facts.add("max_rss_gib", rss?.gib, rss ? [rss.line] : []);
  const failed = failedNode(text);
  facts.add("host", failed?.host, failed ? [failed.line] : []);
  const finding = sayJob({
    job,
    state,
    elapsed: main.cells.elapsed?.value ?? null,
    rss: rss?.gib ?? null,
    reason: String(facts.facts.reason?.value ?? ""),
    host: failed?.host ?? null,
  });
  if (state === null) {
    return {
      status: "partial",
      finding,
      facts: facts.facts,
      problems: [{ line: main.lines[0] ?? 1, say: "the job's state is missing; add State to --format" }],
    };
  }
  return { status: "read", finding, facts: facts.facts };
}

function refuse(text: OutputText, header: number): ToolReading {
  const at = (pattern: RegExp): number | undefined => text.lines.find(({ text: row }) => pattern.test(row))?.line;
  const noJob = at(NO_JOB);
  if (noJob !== undefined)
    return {
      status: "refused",
      refusal: "no-device",
      finding: said(
        `Slurm knows no such job any more, so nothing was read. Finished jobs: ${COMMAND}`,
        `Slurm 已没有这个作业，没有读到任何内容。已结束的作业请运行：${COMMAND}`,
      ),
      line: noJob,
    };
  const down = at(NO_ACCOUNTING) ?? at(NO_CONTROLLER);
  if (down !== undefined)
    return {
      status: "refused",
      refusal: "no-service",
      finding: said(
        "Slurm's database or controller did not answer, so nothing was read. While the job is known: scontrol show job JOB",
        "Slurm 的记账或控制器没有响应，没有读到任何内容。作业尚在时请运行：scontrol show job JOB",
      ),
      line: down,
    };
  return {
    status: "refused",
    refusal: "empty",
    finding: said(`A header without a job below it. Run: ${COMMAND}`, `只有表头，没有作业。请运行：${COMMAND}`),
    line: header,
  };
}

/** "CANCELLED by 1001" and "R" -> the state's own word. */
function stateOf({ cells }: Row): string | null {
  const word = /^[A-Z_]{1,20}/.exec(cells.state?.value ?? "")?.[0];
  return word === undefined ? null : (STATES[word] ?? word);
}

/** [D-]HH:MM:SS or MM:SS; UNLIMITED and Partition_Limit are no times. */
function seconds(printed: string | undefined): number | null {
  const found = /^(?:(\d{1,4})-)?(?:(\d{1,3}):)?(\d{1,3}):(\d{2})(?:\.\d{1,6})?$/.exec(printed ?? "");
  if (!found) return null;
  const [days, hours, minutes, rest] = found.slice(1).map((part) => Number(part ?? 0));
  return (days ?? 0) * 86_400 + (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (rest ?? 0);
}

/** "gpu-i-[017-020,024]" -> 5 */
function nodesIn(list: string): number | null {
  if (!/^[\w.,[\]-]{1,400}$/.test(list) || list === "" || /^None/.test(list)) return null;
  const ranges = [...list.matchAll(/\[([\d,-]{1,300})\]/g)].flatMap((found) => (found[1] ?? "").split(","));
  const inside = ranges.reduce((sum, range) => {
    const [from, to] = range.split("-").map(Number);
    return sum + (to === undefined ? 1 : to - (from ?? 0) + 1);
  }, 0);
  const outside = list
    .replace(/[^,[]{0,100}\[[\d,-]{1,300}\]/g, "")
    .split(",")
    .filter((name) => name !== "").length;
  return inside + outside || null;
}

function failedNode({ lines }: OutputText): { host: string; line: number } | null {
  for (const { line, text } of lines) {
    const host =
      /\bFailedNode=([A-Za-z][\w.-]{0,80})/.exec(text)?.[1] ??
      /(?:node|Node) ([A-Za-z][\w.-]{0,80}) (?:failed|is down|not responding)/.exec(text)?.[1];
    if (host && host !== "None") return { host, line };
  }
  return null;
}

interface ToSay {
  job: string;
  state: string | null;
  elapsed: string | null;
  rss: number | null;
  reason: string;
  host: string | null;
}

function sayJob({ job, state, elapsed, rss, reason, host }: ToSay): Said {
  const live = state !== null && /^(?:RUNNING|PENDING|COMPLETING|CONFIGURING|SUSPENDED|REQUEUED)$/.test(state);
  const why = reason === "" ? { en: "", zh: "" } : { en: ` (${reason})`, zh: `（${reason}）` };
  const after = elapsed === null ? { en: "", zh: "" } : { en: ` after ${elapsed}`, zh: `，历时 ${elapsed}` };
  const used =
    rss === null
      ? { en: "", zh: "" }
      : { en: `; largest step used ${digits(rss)} GiB`, zh: `；用量最大的 step 为 ${digits(rss)} GiB` };
  const on = host === null ? { en: "", zh: "" } : { en: `; failed node ${host}`, zh: `；故障节点 ${host}` };
  return said(
    `Job ${job} ${live ? "is" : "ended"} ${state ?? "in an unknown state"}${why.en}${after.en}${used.en}${on.en}.`,
    `作业 ${job} ${live ? "状态为" : "结束状态为"} ${state ?? "未知"}${why.zh}${after.zh}${used.zh}${on.zh}。`,
  );
}
