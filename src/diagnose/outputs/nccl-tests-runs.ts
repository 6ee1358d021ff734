// Takes the text of nccl-tests apart into runs: a preamble with hosts and ranks, a table, a footer or an error.
import type { OutputLine, OutputText } from "./output-text.ts";

export interface Row {
  line: number;
  bytes: number;
  redop: string;
  root: number;
  algbw: number;
  busbw: number;
  /** Wrong values of both halves; null where nothing was checked. */
  wrong: number | null;
}

export interface Run {
  /** Of its first line. */
  line: number;
  /** all_reduce, alltoall, …; null where nothing names it. */
  test: string | null;
  hosts: Map<string, number>;
  ranks: Set<number>;
  /** Ranks that the command line asks for, where no line lists them. */
  asked: number | null;
  maxBytes: number | null;
  header: number | null;
  rows: Row[];
  /** Does the layout count wrong values? The oldest prints the largest error instead. */
  counted: boolean;
  /** A row that does not have all the columns of the header. */
  cut: number | null;
  /** Wrong values by the footer: the oldest layout has no column for them. */
  outOfBounds: number | null;
  footer: boolean;
  error: { text: string; line: number } | null;
  /** Hosts that print an error. */
  failedOn: Set<string>;
}

const PERF =
  /(?:^|[\s/])(?<test>all_reduce|all_gatherv?|alltoallv?|reduce_scatterv?|broadcast|reduce|sendrecv|gather|scatter|hypercube)_perf(?:_mpi)?\b/;
const STARTING = /^#? ?Collective test (?:starting|concluded): (?:\S{0,200}\/)?(?<test>[a-z_]{1,30}?)_perf/;
const SETTINGS = /^#? ?nThreads?:? \d+ nGpus:? \d+ (?:nRanks:? \d+ )?minBytes:? \d+ maxBytes:? (?<max>\d+)/;
const REDUCED = /^#? ?Reducing maxBytes to (?<max>\d+) due to memory limitation/;
const BEGINNING = /^#? ?(?:nccl-tests version \S|Collective test starting|nThreads?:? \d|Using devices$)/;
const DEVICE = /^#? {0,8}Rank\s+(?<rank>\d+)\s+(?:Group\s+\d+\s+)?(?:Pid\s+\d+ )?on\s+(?<host>\S+) device\s+\d+/;
const HEADER = /^#?\s{0,20}size\b.*\balgbw\s+busbw\b/;
const UNITS = /^#?\s{0,20}\(B\)\s+\(elements\)/;
const HALVES = /^#?\s{0,80}out-of-place\b.*\bin-place\b/;
const TYPE = /^(?:u?int(?:8|32|64)|half|float|double|bfloat16|f(?:p)?8_?e\dm\d)$/;
const OUT_OF_BOUNDS = /^#? ?Out of bounds values\s*: (?<n>\d+)/;
const AVERAGE = /^#? ?Avg bus bandwidth\s*:/;
const FAILED =
  /^(?:(?<host>\S{1,100}): )?(?:Test )?(?:NCCL|CUDA) failure \S{1,200}\.cu:\d+ '(?<text>.{1,500})$|^(?:(?<late>\S{1,100}): )?(?<timeout>Test timeout \(\d+s\)) \S{1,200}:\d+/;
const FOLLOWS = /^\.\. \S{1,100} pid \d+: Test failure \S+:\d+/;
const SIGNALLED =
  /^(?:mpirun|srun|prterun) noticed that process .{1,60} on node (?<host>\S{1,100}) exited on (?<text>signal \d+ \([^)]{1,40}\))/;
export const USAGE = /^USAGE: \S{0,200}_perf\b/;
export const NO_GPUS = /^Invalid number of GPUs: \d+ requested but only \d+ were found/;

/** Does a command line start one of the tests? */
export function isPerfCommand(line: string): boolean {
  return PERF.test(line);
}

/** Numbers of the lines that only nccl-tests prints; none where nothing is certain enough. */
export function knownLines(text: OutputText): number[] {
  const sure: number[] = [];
  const rows: number[] = [];
  const beside: number[] = [];
  for (const { line, text: printed, command } of text.lines) {
    if (command) continue;
    const row = printed.trim();
    if (HEADER.test(row) || SETTINGS.test(row) || USAGE.test(row) || FAILED.test(row)) sure.push(line);
    else if (isRow(row)) rows.push(line);
    else if (
      [STARTING, BEGINNING, DEVICE, UNITS, HALVES, OUT_OF_BOUNDS, AVERAGE, FOLLOWS, NO_GPUS].some((one) =>
        one.test(row),
      )
    )
      beside.push(line);
  }
  return sure.length > 0 || rows.length >= 2 ? [...sure, ...rows, ...beside] : [];
}

function isRow(row: string): boolean {
  const cells = row.trim().split(/\s+/, 20);
  return cells.length >= 7 && /^\d+$/.test(cells[0] ?? "") && /^\d+$/.test(cells[1] ?? "") && TYPE.test(cells[2] ?? "");
}

export function runsOf(text: OutputText): Run[] {
  const runs: Run[] = [];
  let run = newRun(1, { test: null, asked: null });
  let typed: Pick<Run, "test" | "asked"> = { test: null, asked: null };
  let columns: string[] | null = null;
  /** A run ends where the next one's preamble, header or name begins. */
  const begin = (line: number): void => {
    if (run.header === null && run.rows.length === 0 && run.error === null) return;
    runs.push(run);
    run = newRun(line, typed);
    columns = null;
  };
  const nameHosts = (hosts: readonly string[], line: number): void => {
    for (const host of hosts) if (!run.hosts.has(host)) run.hosts.set(host, line);
  };

  for (const at of text.lines) {
    const line = at.line;
    const row = at.text.trim();
    const perf = row.startsWith("#") || USAGE.test(row) ? undefined : PERF.exec(row)?.groups?.test;
    const named = perf ? askedHosts(row) : at.command ? [] : pairHeader(row);
    const device = DEVICE.exec(row)?.groups;
    const header = HEADER.test(row);
    if (perf || named.length > 0 || BEGINNING.test(row) || ((device || header) && run.header !== null)) begin(line);
    nameHosts(named, line);
    if (perf) {
      typed = { test: perf, asked: askedRanks(row) };
      Object.assign(run, typed);
    } else if (device) {
      // What the run itself prints is better than a name above it or the command line.
      if (run.ranks.size === 0) run.hosts.clear();
      run.ranks.add(Number(device.rank));
      nameHosts([device.host ?? ""], line);
    } else if (header) {
      columns = row.replace(/#/g, "").trim().split(/\s+/, 40);
      run.header = line;
      run.counted = columns.includes("wrong");
      if (run.hosts.size === 0 && at.host !== null) nameHosts([at.host], line);
    } else if (isRow(row)) {
      const read = readRow(at, columns);
      if (read) run.rows.push(read);
      else run.cut = line;
    } else readAround(run, at);
  }
  return [...runs, run].filter((one) => one.header !== null || one.rows.length > 0 || one.ranks.size > 0 || one.error);
}

function newRun(line: number, typed: Pick<Run, "test" | "asked">): Run {
  return {
    line,
    ...typed,
    hosts: new Map(),
    ranks: new Set(),
    maxBytes: null,
    header: null,
    counted: true,
    rows: [],
    cut: null,
    outOfBounds: null,
    footer: false,
    error: null,
    failedOn: new Set(),
  };
}

/** What stands before and after a table. */
function readAround(run: Run, { line, text: printed, host }: OutputLine): void {
  const text = printed.trim();
  run.test = STARTING.exec(text)?.groups?.test ?? run.test;
  const max = (SETTINGS.exec(text) ?? REDUCED.exec(text))?.groups?.max;
  if (max !== undefined) run.maxBytes = Number(max);
  const outOfBounds = OUT_OF_BOUNDS.exec(text)?.groups?.n;
  if (outOfBounds !== undefined) {
    run.outOfBounds = Number(outOfBounds);
    run.footer = true;
  }
  const failed = FAILED.exec(text)?.groups ?? SIGNALLED.exec(text)?.groups;
  if (!failed) return;
  const on = failed.host ?? failed.late ?? host;
  if (on) run.failedOn.add(on);
  // 'error / last error of NCCL', where there is one.
  run.error ??= { text: (failed.text ?? failed.timeout ?? "").replace(/'?\s*$/, "").replace(/\s*\/\s*$/, ""), line };
}

/** Columns are found by the words of the header: versions differ in them, and -I and -S add some. */
function readRow({ line, text }: OutputLine, header: readonly string[] | null): Row | null {
  const cells = text.trim().split(/\s+/, 40);
  const columns = header ?? oldColumns(cells.length);
  const timestamp = columns.includes("timestamp") ? 1 : 0;
  if (cells.length !== columns.length + timestamp) return null;
  const cell = (name: string): string => cells[columns.indexOf(name)] ?? "";
  const [algbw, busbw] = [Number(cell("algbw")), Number(cell("busbw"))];
  const wrong = cells.flatMap((value, at) =>
    columns[at] === "wrong" && value !== "N/A" && Number.isFinite(Number(value)) ? [Number(value)] : [],
  );
  return {
    line,
    bytes: Number(cells[0]),
    redop: cell("redop"),
    root: Number(cell("root") || -1),
    algbw,
    busbw,
    wrong: wrong.length > 0 ? wrong.reduce((sum, n) => sum + n, 0) : null,
  };
}

/** Where the header was not pasted: the layouts up to 2.19. */
function oldColumns(cells: number): string[] {
  const half = ["time", "algbw", "busbw", cells >= 13 ? "wrong" : "error"];
  const before = ["size", "count", "type", ...(cells >= 12 ? ["redop"] : []), ...(cells >= 13 ? ["root"] : [])];
  return [...before, ...half, ...half];
}

const HOST = /^[A-Za-z][\w.-]{0,80}$|^\d{1,3}(?:\.\d{1,3}){3}$/;
const RULED = /^\s{0,4}(?:[=#*-]{2,20}|>{1,4}|\[?pairs?\b|\[?hosts?\b)/i;
const FILLER = /^(?:pairs?|hosts?|nodes?|and|vs\.?|with|to|round|test(?:ing)?|\d{1,4}|\W*)$/i;

/** `=== a b ===`, `--- a,b`, `pair: a <-> b`, or a line of nothing but two names with a number in them. */
function pairHeader(row: string): string[] {
  if (row.length > 160 || DEVICE.test(row)) return [];
  const ruled = RULED.test(row);
  const words = row
    .replace(/[=#*>[\](){}|]+|-{2,}|<?->|:\d{1,2}\b/g, " ")
    .split(/[\s,+;&:]+/)
    .filter((word) => word !== "" && !FILLER.test(word));
  if (words.length !== 2 || words[0] === words[1] || !words.every((word) => HOST.test(word))) return [];
  return ruled || words.every((word) => /\d/.test(word)) ? words : [];
}

function askedHosts(command: string): string[] {
  const list = /(?:\s-H|\s--host|\s-host|\s-hosts|\s-w|\s--nodelist)[ =](?<list>[^\s"']{1,400})/.exec(command)?.groups
    ?.list;
  const hosts = (list ?? "").split(",").map((one) => one.replace(/:\d+$/, ""));
  return hosts.every((host) => HOST.test(host)) ? hosts : [];
}

function askedRanks(command: string): number | null {
  const processes = /\s-(?:np|n|-ntasks)[ =](?<n>\d{1,6})\b.*_perf/.exec(command)?.groups?.n;
  const gpus = /_perf\b.*\s(?:-g|--ngpus)[ =](?<n>\d{1,3})\b/.exec(command)?.groups?.n;
  return processes === undefined && gpus === undefined ? null : Number(processes ?? 1) * Number(gpus ?? 1);
}
