// A pasted output as every reader gets it: colours, escapes, prompts and launcher prefixes off, host and rank noted.
import { clean } from "../lines.ts";

export interface OutputLine {
  /** 1-based, in the text as given. */
  line: number;
  /** Tabs are four blanks, since Slack turns one into the other: match blanks with \s+. */
  text: string;
  /** From a prefix of the line, else from the header or prompt above it. */
  host: string | null;
  rank: number | null;
  /** Set where a prompt stood before it: not output but what was typed. */
  command: boolean;
}

export interface OutputText {
  lines: OutputLine[];
  /** The one named host that all of it comes from, and the line that names it. */
  host: { name: string; line: number } | null;
}

/** Longer lines are cut: a reader's patterns must stay quick. A safetensors index on one line fits. */
const LINE_CHARS = 400_000;

const HOST = "[A-Za-z][A-Za-z0-9]*(?:[-._][A-Za-z0-9]+)*";
const IP = "\\d{1,3}(?:\\.\\d{1,3}){3}";
const PATH = "[^\\s$#>\\]]{0,120}";

/** Prompts that name a host, and bare ones. A lone `# ` begins comments too, so there a command of a tool must follow. */
const PROMPTS: readonly RegExp[] = [
  new RegExp(
    `^(?:\\([\\w.-]{1,40}\\) )?\\[?[\\w.-]{1,40}@(?<host>${HOST}|${IP})(?::| )?${PATH}\\]?[$#%>] ?(?<typed>.*)$`,
  ),
  new RegExp(`^(?<host>${HOST}):${PATH}[$#%] (?<typed>.*)$`),
  /^(?:\([\w.-]{1,40}\) )?[$%❯>] (?<typed>.*)$/u,
  /^# (?<typed>(?:sudo|nvidia-smi|dcgmi|ibstat|ibstatus|rdma|perfquery|ethtool|dmesg|journalctl|free|df|du|ls|find|cat|head|grep|py-spy|ncclras|torchfrtrace|python3?|squeue|sacct|scontrol|kubectl|jq|torchrun|mpirun|srun|echo|\.\/[\w./-]+)(?: .*)?)$/,
];

/** No header is longer. */
const HEADER_CHARS = 300;
/** "---- arguments ----" begins Megatron's dump and names no host. */
const HEADERS: readonly RegExp[] = [
  new RegExp(
    `^(?:={2,}|-{2,}|#{2,}|\\*{2,})\\s*(?:host|node|on)?:?\\s*(?<host>(?!arguments\\b)${HOST}|${IP})\\s*(?:={2,}|-{2,}|#{2,}|\\*{2,})$`,
    "i",
  ),
  /^(?:={2,}|-{2,}|#{2,})\s*rank:?\s*(?<rank>\d{1,6})\b[^=\n-]{0,80}(?:={2,}|-{2,}|#{2,})$/i,
  /^\[rank ?(?<rank>\d{1,6})\]:?$/i,
  new RegExp(`^(?:Executing|Running) on (?:host )?(?<host>${HOST}|${IP}):?$`, "i"),
  new RegExp(`^(?:host|node): (?<host>${HOST}|${IP})$`, "i"),
];

/** What else stands between rules: readings, rounds and sections. */
const NO_HOSTS =
  /^(?:before|after|first|second|start|end|begin|now|then|later|again|reading|round|run|test|pair|step|part|errors?|warnings?|output|stdout|stderr|summary|results?|done|ok)[-_]?\d*$/i;

/** Prefixes that mean nothing else where they stand at the front of a line. */
const PREFIXES: readonly RegExp[] = [
  /^\[default\d{1,3}\]:[ \t]?/,
  /^\[rank ?(?<rank>\d{1,6})\]:? ?/,
  /^ {0,8}\[\d{1,6},(?<rank>\d{1,6})\]<std(?:err|out|diag)>:[ \t]?/,
  /^\((?:[A-Za-z_][\w.]{0,60} ?)?(?:rank=(?<rank>\d{1,6}),? ?)?pid=\d+(?:, ?ip=[\d.]+)?\) ?/,
  /^\[pod\/(?<host>[\w.-]{1,100})(?:\/[\w.-]{1,100})?\] /,
];
/**
 * Prefixes that are also what tables look like: taken only where most lines carry one, and some carry the same one. A
 * kernel's module is no host.
 */
const REPEATED: readonly RegExp[] = [
  new RegExp(
    `^(?!(?:NVRM|kernel|step|iter(?:ation)?|epoch|batch|layer|expert|group|loss):)(?<host>${HOST}|${IP}):(?: |$)`,
  ),
  /^ {0,5}(?<rank>\d{1,5}): /,
];

export function toOutputText(raw: string): OutputText {
  const rows = raw.split("\n").map((row, index) => ({ line: index + 1, text: unwrap(row.slice(0, LINE_CHARS)) }));
  const repeated = REPEATED.find((prefix) =>
    repeats(
      rows.map(({ text }) => text),
      prefix,
    ),
  );
  let host: string | null = null;
  let rank: number | null = null;
  const lines: OutputLine[] = [];
  for (const row of rows) {
    const typed = typedAt(row.text);
    if (typed) {
      if (typed.host) [host, rank] = [typed.host, null];
      lines.push({ line: row.line, text: typed.text, host, rank, command: true });
      continue;
    }
    const header = headerAt(row.text);
    if (header?.host) [host, rank] = [header.host, null];
    if (header?.rank != null) rank = header.rank;
    const { text, ...prefix } = withoutPrefix(row.text, repeated);
    lines.push({ line: row.line, text, host: prefix.host ?? host, rank: prefix.rank ?? rank, command: false });
  }
  const named = nameClushBlocks(lines);
  return { lines: named, host: onlyHost(named) };
}

/** The same with its rows cut: where a tool prints no longer ones, the patterns for them need not cope with any. */
export function shortRows({ lines, host }: OutputText, chars = 4_000): OutputText {
  return {
    lines: lines.map((line) => (line.text.length <= chars ? line : { ...line, text: line.text.slice(0, chars) })),
    host,
  };
}

/** Lines above the first prompt or header carry no host and dispute none. */
function onlyHost(lines: readonly OutputLine[]): OutputText["host"] {
  const first = lines.find(({ host }) => host !== null);
  if (!first || first.host === null) return null;
  const disputed = lines.some(({ host }) => host !== null && host !== first.host);
  return disputed ? null : { name: first.host, line: first.line };
}

function unwrap(row: string): string {
  return clean(row.replace(/\r$/, "").replace(/\r/g, " "))
    .replace(/\t/g, "    ")
    .replace(/\u00a0/g, " ")
    .replace(/^```\w{0,12}|```$/g, "")
    .trimEnd();
}

function typedAt(text: string): { text: string; host: string | null } | null {
  for (const prompt of PROMPTS) {
    const found = prompt.exec(text)?.groups;
    if (found) return { text: (found.typed ?? "").replace(/^sudo (?:-\S+ )*/, "").trim(), host: found.host ?? null };
  }
  return null;
}

function headerAt(text: string): { host: string | null; rank: number | null } | null {
  if (text.length > HEADER_CHARS) return null;
  for (const header of HEADERS) {
    const found = header.exec(text.trim())?.groups;
    if (!found || NO_HOSTS.test(found.host ?? "")) continue;
    return { host: found.host ?? null, rank: found.rank === undefined ? null : Number(found.rank) };
  }
  return null;
}

function withoutPrefix(text: string, repeated: RegExp | undefined) {
  for (const prefix of repeated ? [...PREFIXES, repeated] : PREFIXES) {
    const found = prefix.exec(text);
    // A line of nothing but the mark is a header.
    if (!found || found[0].length === text.length) continue;
    const { host = null, rank } = found.groups ?? {};
    return { text: text.slice(found[0].length), host, rank: rank === undefined ? null : Number(rank) };
  }
  return { text, host: null, rank: null };
}

/** What pdsh and its like say themselves, without a host's prefix. */
const LAUNCHERS = /^(?:pdsh|clush|dsh|ssh)(?:@[\w.-]{1,60})?: /;
/** Names with a number that are no hosts though each line begins with another one of them. */
const NUMBERED = /^(?:c?gpu|nic|link|lane|port|cpu|rank|layer|expert|step|iter|epoch|group|mlx\d_|rxq|txq|eth|ib)/i;

/**
 * Does nearly every line begin so, with the same few names again and again, as pdsh and `srun -l` print? Or each with
 * another number of the same name, where every host answers with one line? Names above nothing but numbers are a table.
 */
function repeats(texts: readonly string[], prefix: RegExp): boolean {
  const filled = texts.filter((text) => text.trim() !== "" && !LAUNCHERS.test(text));
  const found = filled.map((text) => prefix.exec(text)).filter((match) => match !== null);
  const names = found.map((match) => match[0].trim());
  const numbers = filled.filter((text) => /^\S{1,80}: *\d+$/.test(text)).length;
  if (names.length < 2 || names.length < 0.8 * filled.length || 2 * numbers > names.length) return false;
  const hosts = found.flatMap(({ groups }) => groups?.host ?? []);
  const stems = new Set(hosts.map((host) => host.replace(/\d+/g, "#")));
  const siblings =
    hosts.length === filled.length &&
    stems.size === 1 &&
    hosts.every((host) => /\d/.test(host) && !NUMBERED.test(host));
  return siblings || new Set(names).size <= names.length / 2;
}

/** clush -b and dshbak print a host between two lines of dashes. */
function nameClushBlocks(lines: OutputLine[]): OutputLine[] {
  const rule = /^-{10,}$/;
  const name = new RegExp(`^(?:${HOST}|${IP})$`);
  let host: string | null = null;
  return lines.map((line, at) => {
    const between = rule.test(lines[at - 1]?.text ?? "") && rule.test(lines[at + 1]?.text ?? "");
    if (between && name.test(line.text)) host = line.text;
    return host === null ? line : { ...line, host };
  });
}
