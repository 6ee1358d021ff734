// Takes what ncclras prints as text apart into reports: one for each time it was asked.
import {
  addTrouble,
  type Gap,
  gpuOf,
  newReport,
  type RasComm,
  type RasRank,
  type RasReport,
  type RasTrouble,
} from "./nccl-ras-report.ts";
import type { OutputText } from "./output-text.ts";

/** Where reading stands: what the next lines belong to. */
interface State {
  report: RasReport;
  totals: boolean;
  /** Ranks per communicator, by group. */
  sizes: Map<string, number>;
  comm: RasComm | null;
  gap: Gap | null;
  lost: "dead" | "silent" | null;
  error: string | null;
}

type Groups = Record<string, string | undefined>;
type Read = (state: State, groups: Groups, line: number) => void;

const GPU = "(?<gpu>\\d{1,3}(?: \\(NVML \\d{1,3}\\))?)";
const ON = `(?:GPU ${GPU} managed by process (?<pid>\\d{1,10}) on node (?<host>[\\w.:%-]{1,80})|\\[process information not found\\])`;
const TROUBLES: Record<string, RasTrouble> = { MISMATCH: "mismatch", ERROR: "error", INCOMPLETE: "incomplete" };

/** Only this tool prints these. */
const SURE: readonly [RegExp, Read][] = [
  [/^Communicators\.\.\./, () => {}],
  [/^Group\s+Comms\s+Nodes\s+Ranks\s+Ranks\s+Ranks\s+Status\s+Errors$/, () => {}],
  [
    /^#(?<name>(?<group>\d{1,6})-\d{1,6}) \((?<hash>[0-9a-f]{1,32})\) (?<trouble>INCOMPLETE|ERROR|MISMATCH)$/,
    (state, { name, group, hash, trouble }, line) => {
      addTrouble(state.report, TROUBLES[trouble ?? ""] ?? "error", line);
      const size = state.sizes.get(group ?? "") ?? null;
      state.comm = { name: `#${name}`, hash: hash ?? "", size, line, missing: [], failed: [], gaps: [] };
      Object.assign(state, { gap: null, lost: null, error: null });
      state.report.comms.push(state.comm);
    },
  ],
  [
    /^(?<n>\d{1,7}) job process(?:es)? (?:is|are) considered dead/,
    (state, { n }, line) => {
      state.lost = "dead";
      state.report.dead.count = Number(n);
      addTrouble(state.report, "dead", line);
    },
  ],
  [
    /^Missing communicator data from (?<n>\d{1,7}) job process/,
    (state, { n }, line) => {
      state.lost = "silent";
      state.report.silent.count = Number(n);
      addTrouble(state.report, "incomplete", line);
    },
  ],
  [
    /^\[[\d: -]{19}\] PEER_DEAD: (?<process>.*)$/,
    (state, { process }, line) => {
      const named = processOf(process ?? "", line);
      if (!named) return;
      state.report.dead.named.push(named);
      state.report.dead.count += 1;
      addTrouble(state.report, "dead", line);
    },
  ],
  [
    /^Communicator ranks have different (?:(?<collective>\w{1,40}) )?operation counts$/,
    (state, { collective }, line) => {
      state.gap = { collective: collective === "collective" ? null : (collective ?? null), line, groups: [] };
      state.comm?.gaps.push(state.gap);
    },
  ],
];
/** These count where one of the sure ones stands with them. */
const BESIDE: readonly [RegExp, Read][] = [
  [
    /^NCCL version (?<version>\d[\w.]{0,30}) compiled with CUDA/,
    (state, { version }, line) => {
      state.report.version = { value: version ?? "", line };
    },
  ],
  [
    /^CUDA runtime version \d+, driver version \d+$|^Job summary$|^(?:Errors|Warnings|INCOMPLETE|DEAD|TIMEOUT)$/,
    () => {},
  ],
  [
    /^\(total\)\s.*\(total\)$/,
    (state) => {
      state.totals = true;
    },
  ],
  [
    /^\d{1,9}(?:\s+\d{1,9}){1,3}\s+(?<gpus>\d{1,9})$/,
    (state, { gpus }, line) => {
      if (state.totals) state.report.gpus = { value: Number(gpus), line };
      state.totals = false;
    },
  ],
  [
    /^(?<group>\d{1,6})\s+(?<comms>\d{1,9})\s+\d{1,9}\s+[\d-]{1,12}\s+(?<size>\d{1,9})\s+\d{1,9}\s+[A-Z]{3,12}\s+(?<errors>OK|[A-Z]{5,12}(?:,[A-Z]{5,12}){0,3})$/,
    (state, { group, comms, size, errors }, line) => {
      state.sizes.set(group ?? "", Number(size));
      state.report.communicators += Number(comms);
      for (const one of errors?.split(",") ?? []) {
        const trouble = TROUBLES[one];
        if (trouble) addTrouble(state.report, trouble, line);
      }
    },
  ],
  [
    /^(?<process>Process \d{1,10} on node \S+ managing GPU.*)$/,
    (state, { process }, line) => {
      const named = processOf(process ?? "", line);
      if (named && state.lost) state.report[state.lost].named.push(named);
    },
  ],
  [/^Missing communicator data from \d{1,7} ranks?$|^Communicator ranks have different status$/, () => {}],
  [
    /^The missing ranks?: (?<ranks>\d{1,7}(?:,\s?\d{1,7}){0,200})$/,
    (state, { ranks }, line) => {
      const named = ranks?.split(",").map((rank) => ({ ...NOBODY, rank: Number(rank), line })) ?? [];
      state.comm?.missing.push(...named);
    },
  ],
  [
    new RegExp(
      `^Rank (?<rank>\\d{1,7})(?: has (?:launched up to operation (?<op>\\d{1,20})|(?<none>not launched any operations)|status [A-Z]{3,12})| reported (?<error>[A-Za-z ]{1,60}?))? -- ${ON}$`,
    ),
    (state, { rank, op, none, error, gpu, pid, host }, line) => {
      const one: RasRank = {
        rank: Number(rank),
        host: host ?? null,
        pid: pid ? Number(pid) : null,
        gpu: gpuOf(gpu),
        error: error ?? state.error,
        line,
      };
      if (op || none) state.gap?.groups.push({ operation: Number(op ?? 0), count: 1, ranks: [one], line });
      else if (one.error) state.comm?.failed.push(one);
      else if (state.gap) state.gap.groups.at(-1)?.ranks.push(one);
      else state.comm?.missing.push(one);
    },
  ],
  [
    /^(?<n>\d{1,7}) ranks have (?:launched up to operation (?<op>\d{1,20})|not launched any operations)$/,
    (state, { n, op }, line) => {
      state.gap?.groups.push({ operation: Number(op ?? 0), count: Number(n), ranks: [], line });
    },
  ],
  [
    /^\d{1,7} ranks reported (?<error>[A-Za-z ]{1,60})$/,
    (state, { error }) => {
      state.error = error ?? null;
    },
  ],
  [/^\d{1,7} ranks have status [A-Z]{3,12}$|^(?:Initialization|Asynchronous) errors? on \d{1,7} ranks?$/, () => {}],
];
const NOBODY: RasRank = { rank: null, host: null, pid: null, gpu: null, error: null, line: 1 };

export function rasTextLines(text: OutputText): number[] {
  return knownRows(text).map(({ line }) => line);
}

export function rasTextReports(text: OutputText): RasReport[] {
  const states: State[] = [];
  for (const { line, row, read, groups } of knownRows(text)) {
    const last = states.at(-1);
    if (!last || begins(row, last.report)) states.push(newState(line));
    const state = states.at(-1);
    if (state) read(state, groups, line);
  }
  return states.map(({ report }) => ({ ...report, cut: cutOf(report) }));
}

/** The version stands above the summary, and that above the table: any of them begins a report that has them already. */
function begins(row: string, report: RasReport): boolean {
  if (/^NCCL version /.test(row)) return report.version !== null || report.gpus !== null || report.communicators > 0;
  if (row === "Job summary") return report.gpus !== null || report.communicators > 0;
  return row.startsWith("Communicators...") && report.communicators > 0;
}

function newState(line: number): State {
  return { report: newReport(line), totals: false, sizes: new Map(), comm: null, gap: null, lost: null, error: null };
}

/** The rows that are RAS's; none where no sure one is among them. */
function knownRows({ lines }: OutputText) {
  let sure = false;
  const rows = lines.flatMap(({ line, text, command }, at) => {
    const row = text.trim();
    if (command || row === "") return [];
    const certain = find(SURE, row);
    sure ||= certain !== null || (row === "Job summary" && /^={5,20}$/.test(lines[at + 1]?.text.trim() ?? ""));
    const found = certain ?? find(BESIDE, row);
    return found ? [{ line, row, ...found }] : [];
  });
  return sure ? rows : [];
}

function find(table: readonly [RegExp, Read][], row: string): { read: Read; groups: Groups } | null {
  for (const [pattern, read] of table) {
    const found = pattern.exec(row);
    if (found) return { read, groups: found.groups ?? {} };
  }
  return null;
}

function processOf(text: string, line: number): RasRank | null {
  const found = /^Process (?<pid>\d{1,10}) on node (?<host>[\w.:%-]{1,80}) managing GPUs? (?<gpu>.{1,200})$/.exec(
    text,
  )?.groups;
  if (!found) return null;
  return { ...NOBODY, pid: Number(found.pid), host: found.host ?? null, gpu: gpuOf(found.gpu?.trim()), line };
}

/** The table says that something is wrong before the sections say what. */
function cutOf({ communicators, troubles, comms, dead, silent }: RasReport): string | null {
  if (communicators === 0 && troubles.size === 0) return "the table of communicators";
  if (troubles.size > 0 && comms.length === 0 && dead.count + silent.count === 0)
    return "the sections Errors and Warnings";
  return null;
}
