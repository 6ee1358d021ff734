// Takes a line apart: colours and prefixes off, and from the prefixes the rank, host and time.
import { readStamp, type Times } from "./clock.ts";
import type { Settled } from "./clocks.ts";

export interface Line {
  source: number;
  /** 1-based, in the source as given. */
  line: number;
  /** As given, decoded, without colours. */
  raw: string;
  /** Without prefixes: what patterns are tried on. */
  text: string;
  /** Global rank of who printed it. */
  rank: number | null;
  localRank: number | null;
  host: string | null;
  pid: number | null;
  ip: string | null;
  gpu: number | null;
  times: Times;
  /** Set where the clocks of the text disagree. */
  settled?: Settled;
}

const ANSI = /\x1b(?:\[[0-9;:?]*[ -/]*[@-~]?|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])|\[(?:\d{1,3};){0,8}\d{1,3}m/g;
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
const ESCAPES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** Colours, control characters and Slack's escapes off. A colour code that was cut in half goes too. */
export function clean(text: string): string {
  let out = text;
  if (out.includes("\x1b") || /\[\d{1,3}(;\d{1,3})*m/.test(out)) out = out.replace(ANSI, "");
  if (CONTROL.test(out)) out = out.replace(CONTROL, "");
  CONTROL.lastIndex = 0;
  if (out.includes("&") && /&(?:lt|gt|amp);/.test(out))
    out = out.replace(/&(?:lt|gt|amp);/g, (entity) => ESCAPES[entity] ?? entity);
  return out;
}

type Read = (line: Line, match: RegExpExecArray) => void;

const HOST = "[A-Za-z][A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)*";
const IP = "\\d{1,3}(?:\\.\\d{1,3}){3}";

function rankOf(line: Line, value: string | undefined): void {
  if (value !== undefined && line.rank === null) line.rank = Number(value);
}

function hostOf(line: Line, value: string | undefined): void {
  if (!value || line.host !== null) return;
  if (new RegExp(`^${IP}$`).test(value)) line.ip ??= value;
  line.host = value;
}

/** The sign it begins with, the whole, and what it tells. Tried in this order at the front of what is left, until none fits. */
const PREFIXES: [first: RegExp, whole: RegExp, read: Read][] = [
  [/\[/, /\[rank[ _]?(\d{1,6})\]:?[ \t]?/y, (line, m) => rankOf(line, m[1])],
  // A harness names the stream it copies; srun puts an empty label in front of some lines.
  [/s/, /std(?:err|out)[:>|] ?/y, () => {}],
  [/:/, /: (?=\[rank\d)/y, () => {}],
  // In front of a rank a name with a hyphen is a host's, digits or not.
  [/[A-Za-z]/, /((?=[\w.]*-)[A-Za-z][\w.-]{1,62}): ?(?=\[rank\d)/y, (line, m) => hostOf(line, m[1])],
  // "bench.node-3.run1 [stderr] ...": a harness's name of what it runs, in front of the stream.
  [/[A-Za-z]/, /[A-Za-z][\w.-]{1,80} \[std(?:err|out)\] ?/y, () => {}],
  // Lines that a page numbered.
  [/\[/, /\[\d{1,7}\] (?=\[rank\d)/y, () => {}],
  [
    /\[/,
    /\[default(\d{1,3})\]:[ \t]?/y,
    (line, m) => {
      line.localRank ??= Number(m[1]);
    },
  ],
  [/\[/, /\[\d+,(\d{1,6})\]<std(?:err|out|diag)>:[ \t]?/y, (line, m) => rankOf(line, m[1])],
  [
    /\[/,
    /\[\d+,mpirank:(\d{1,6}),([\w.-]+)\]<std(?:err|out)>:[ \t]?/y,
    (line, m) => {
      rankOf(line, m[1]);
      hostOf(line, m[2]);
    },
  ],
  [
    /\(/,
    /\(([A-Za-z_][\w.]*)(?: rank=(\d+))?,? ?pid=(\d+)(?:, ip=([\d.]+))?\) ?/y,
    (line, m) => {
      rankOf(line, m[2]);
      line.pid ??= Number(m[3]);
      line.ip ??= m[4] ?? null;
    },
  ],
  // vLLM's: level, day, time and where in the code.
  [
    /[EWICD]/,
    /(?:ERROR|WARNING|INFO|CRITICAL|DEBUG) \d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{3})? \[?[\w./-]{1,80}:\d{1,6}\] ?/y,
    () => {},
  ],
  // An error code of Ascend's: "EI0006: Getting socket times out." It is what a host's name looks like, and is none.
  [/E/, /E[A-Z]\d{4}: ?/y, () => {}],
  [/\[/, /\[pod\/([\w.-]+)(?:\/[\w.-]+)?\] /y, (line, m) => hostOf(line, m[1])],
  [/[a-z]/, /([a-z][\w.-]*-\d+)\s+\| /y, (line, m) => hostOf(line, m[1])],
  [
    /[\w.-]/,
    /([\w.-]{1,64}):(\d{1,8}):(\d{1,8}) \[(\d{1,3})\] /y,
    (line, m) => {
      hostOf(line, m[1]);
      line.pid ??= Number(m[2]);
      line.gpu ??= Number(m[4]);
    },
  ],
  [
    /\[/,
    /\[([A-Za-z][\w.-]*):(\d{1,4})\]:?[ \t]?/y,
    (line, m) => {
      hostOf(line, m[1]);
      line.localRank ??= Number(m[2]);
    },
  ],
  [/[ \d]/, / {0,5}(\d{1,5}): (?=\S| {2})/y, (line, m) => rankOf(line, m[1])],
  // The priority in front of a line that syslog stored.
  [/</, /<\d{1,3}>(?:1 )?(?=20\d\d-|[A-Z][a-z]{2} )/y, () => {}],
  [/[Rr]/, /[Rr]ank[ _:=-]?(\d{1,6})(?:\/\d+)? ?[:|>] ?/y, (line, m) => rankOf(line, m[1])],
  [/\[/, /\[[Rr]ank[ :=-]?(\d{1,6})\/\d+\]:? /y, (line, m) => rankOf(line, m[1])],
  [
    /\[/,
    /\[(?:ip-[\d-]+|(?=[\w.-]*\d)[a-z][\w.-]*-[\w.-]*)\]:? /y,
    (line, m) => hostOf(line, m[0].replace(/[[\]: ]/g, "")),
  ],
];
/** Most lines begin with a letter, and few prefixes do: the prefixes by the code of their first sign. */
const BY_FIRST = Array.from({ length: 128 }, (_, code) =>
  PREFIXES.filter(([first]) => first.test(String.fromCharCode(code))),
);
const NONE: typeof PREFIXES = [];
const PDSH = new RegExp(`(${IP}|(?=[\\w.-]*\\d)${HOST}): ?`, "y");
const BARE_HOST =
  /((?=[\w.-]*\d)[a-z][a-z0-9]*(?:[-.][a-z0-9]+)+) +(?=\[|\(|Traceback|torch|RuntimeError|[A-Z]\w+Error)/y;
/** RFC 5424: host, program, process, message, structured data. */
const SYSLOG5424 =
  /([A-Za-z0-9][\w.-]{0,254}) [\w./-]{1,48} (?:-|\d{1,8}) (?:-|[\w.-]{1,32}) (?:-|\[[^\]\n]{0,400}\]) ?(?:\ufeff)?/y;
/** A name without a digit is a host's where it has a hyphen and a process with its number, or the kernel, speaks behind it. */
const SYSLOG_HOST =
  /((?=[\w.-]*\d)[A-Za-z][\w.-]*(?= [\w./-]+(?:\[\d+\])?: )|[a-z][a-z0-9.]*-[\w.-]*(?= (?:kernel|[\w./-]+\[\d{1,8}\]): )) /y;
/** A word that looks like a host to the pattern above and is none. */
const NOT_A_HOST =
  /Error$|Exception$|^(?:step|iter|iteration|epoch|layer|expert|line|rank|gpu|cuda|batch|node_?rank|pid|int\d+|float\d+|bf16|fp16|fp8|utf-8|python\d?[\d.]*|step\d+|[a-z]+_loss\d*)\d*$/i;
/** `[E ProcessGroupNCCL.cpp:523] `, or what is left of it after its time. */
const GLOG_REST = / ?(?:\d{1,8} )?[\w./+-]{1,200}\.(?:cpp|cc|cu|h|hpp|py|go):\d{1,6}\] ?/y;
const GLOG_BARE = /\[[IWEF] [\w./+-]{1,200}\.(?:cpp|cc|cu|h|hpp):\d{1,6}\] ?/y;

/** "[train][WARNING] rank 5: ...", "rank 2 step 311 ...": said, not prefixed. A watchdog's [Rank n] is another thing. */
const SAID_RANK =
  /^(?:\[[^\]]{0,60}\] ?){0,4}(?:(?:WARNING|ERROR|INFO|DEBUG)\b ?[:-]? ?)?\(?[Rr]ank[ :=](\d{1,6})\b(?!\])/;

/** PyTorch's own "[Rank n] " where no group is named, or the default one. In other groups n is the place in the group. */
const OWN_RANK =
  /^\[(?:PG (?:ID )?0 (?:PG GUID [^\s(\]]{1,40}(?:\(default_pg\))? )?|PG \(default_pg\) )?Rank (\d{1,6})\](?!.{0,40}\[PG (?:ID )?[1-9])/;

/** torch_npu's error lines; the rank is -1 before a group stands. */
const NPU_RANK =
  /^\[(?:ERROR|WARNING|INFO|EVENT)\] [\d:.-]{10,40} \(PID:\d{1,8}, Device:-?\d{1,4}, RankID:(\d{1,6})\) /;

const MOST_PREFIXES = 8;

/** Never throws. `raw` is one line without its end. */
export function parseLine(source: number, number: number, raw: string): Line {
  const line: Line = {
    source,
    line: number,
    raw: clean(raw),
    text: "",
    rank: null,
    localRank: null,
    host: null,
    pid: null,
    ip: null,
    gpu: null,
    times: {},
  };
  const json = fromJson(line);
  if (json !== undefined) line.raw = json;
  const text = line.raw;
  let at = endOfBar(text);
  for (let round = 0; round < MOST_PREFIXES; round += 1) {
    const next = readPrefix(line, text, skipQuote(text, at, round));
    if (next === undefined) break;
    at = next;
  }
  line.text = at === 0 ? text : text.slice(at);
  if (line.rank === null)
    rankOf(line, [SAID_RANK, OWN_RANK, NPU_RANK].map((said) => said.exec(line.text)?.[1]).find(Boolean));
  return line;
}

/** What a progress bar ends with, where it has no line end and runs into the next line. Its figures stay with the text. */
const BAR_END = /(?:s\/it|it\/s)(?:[^\]]{0,300}\](?=\[rank)|\](?=[^\s\],]))/;

function endOfBar(text: string): number {
  const bar = text.indexOf("%|");
  if (bar < 0 || bar > 200) return 0;
  const end = BAR_END.exec(text.slice(0, 800));
  return end ? end.index + end[0].length : 0;
}

/** A quoted mail or Slack block begins its lines with "> ". */
function skipQuote(text: string, at: number, round: number): number {
  if (round !== 0 && text.charCodeAt(at) !== 0x20) return at;
  let from = at;
  if (round === 0 && text.startsWith("> ")) from = 2;
  // One blank stands in front of many a line; more are an indent.
  if (text.charCodeAt(from) === 0x20 && text.charCodeAt(from + 1) !== 0x20) from += 1;
  return from;
}

function readPrefix(line: Line, text: string, at: number): number | undefined {
  const stamp = readStamp(text, at);
  if (stamp) {
    line.times[stamp.kind] ??= stamp;
    const next = at + stamp.length;
    const rest = stamp.kind === "glog" ? sticky(GLOG_REST, text, next) : undefined;
    if (rest) return rest.end;
    return skipBlank(text, stamp.kind === "uptime" ? next : syslogHost(line, text, skipBlank(text, next)));
  }
  const first = text.charCodeAt(at);
  const glog = first === 0x5b ? sticky(GLOG_BARE, text, at) : undefined;
  if (glog) return glog.end;
  for (const [, pattern, read] of BY_FIRST[first] ?? NONE) {
    const found = sticky(pattern, text, at);
    if (!found) continue;
    read(line, found.match);
    return found.end;
  }
  const host = sticky(PDSH, text, at) ?? sticky(BARE_HOST, text, at);
  if (host?.match[1] && !NOT_A_HOST.test(host.match[1]) && host.match[1].length <= 64) {
    hostOf(line, host.match[1]);
    return host.end;
  }
  return undefined;
}

function syslogHost(line: Line, text: string, at: number): number {
  const stored = text.startsWith("<") ? sticky(SYSLOG5424, text, at) : undefined;
  const found = stored ?? sticky(SYSLOG_HOST, text, at);
  if (!found?.match[1] || NOT_A_HOST.test(found.match[1])) return at;
  hostOf(line, found.match[1]);
  return found.end;
}

function skipBlank(text: string, at: number): number {
  let next = at;
  while (text.charCodeAt(next) === 0x20 && next - at < 2) next += 1;
  return next;
}

function sticky(pattern: RegExp, text: string, at: number): { match: RegExpExecArray; end: number } | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match && match[0].length > 0 ? { match, end: pattern.lastIndex } : undefined;
}

const TEXT_KEYS = ["log", "message", "msg", "text", "line", "textPayload", "body"];
const TIME_KEYS = ["time", "timestamp", "ts", "@timestamp", "asctime"];
const HOST_KEYS = ["host", "hostname", "node", "node_name"];

/** The text inside a JSON log line; undefined where the line is no such thing. Its time, host and rank go to `line`. */
function fromJson(line: Line): string | undefined {
  const raw = line.raw.trimStart();
  if (!raw.startsWith('{"') || !raw.trimEnd().endsWith("}")) return undefined;
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(raw);
  } catch {
    return undefined;
  }
  const key = TEXT_KEYS.find((name) => typeof parsed[name] === "string");
  if (key === undefined) return undefined;
  const time = TIME_KEYS.map((name) => parsed[name]).find((value) => typeof value === "string");
  const stamp = typeof time === "string" ? readStamp(time, 0) : undefined;
  if (stamp) line.times[stamp.kind] ??= stamp;
  const kubernetes = parsed.kubernetes as Record<string, unknown> | undefined;
  const host = HOST_KEYS.map((name) => parsed[name] ?? kubernetes?.[name]).find((value) => typeof value === "string");
  if (typeof host === "string" && /^[A-Za-z0-9._-]+$/.test(host)) line.host = host;
  if (typeof parsed.rank === "number" && Number.isInteger(parsed.rank)) line.rank = parsed.rank;
  return clean(String(parsed[key]).replace(/[\r\n]+$/, ""));
}
