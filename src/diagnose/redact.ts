// Named secret formats become `<redacted:kind>`. Nothing else changes: not the number of lines, not hosts, addresses,
// paths, ranks, hashes or counts of tokens, so that a verdict reads the same facts before and after.

import { createMender } from "./broken-tokens.ts";
import { COLOUR, FORMATS } from "./secret-formats.ts";

export interface Redactor {
  /** One line in, the same line without its secrets out. Lines of one source, in order: a private key spans several. */
  push(line: string): string;
  /** How many secrets of each kind were taken out so far. */
  readonly counts: Record<string, number>;
  /** The last line ended within a token: the next one must be pushed, whatever it holds. */
  readonly open: boolean;
}

export type Count = (kind: string) => string;

/** Names whose value is a secret whatever it looks like. */
const STRONG = [
  "pass(?:word|wd|phrase)",
  "pswd",
  "pwd",
  "(?:db|smtp|mysql|pg|postgres|redis|ftp|mail|user|admin|root|proxy|http|ldap|ssh|sudo|registry|docker)[_-]?pass",
  "secret(?:[ ._-]?(?:access|api)?[ ._-]?key|[_-]?token|[_-]?value)?",
  "(?:api|app|access|auth|account|private|signing|encryption|shared|storage|service|master|ssh|wandb|swanlab|comet|kaggle|license)[ ._-]?key(?:[ ._-]?id)?",
  "(?:access|auth|refresh|bearer|session|security|api|private|deploy|oauth|personal|identity|id|csrf|xsrf|hf|hub|hugging_?face|wandb|github|gh|gitlab|git|slack|bot|app|user|npm|pypi|modelscope|swanlab|neptune|vault|registry|login|jupyter|admin|service|account|job|ci)[_-]?token",
  "_auth(?:token)?",
  "credentials?",
];
/** Names that hold a secret only where the value looks like one: a model's `token` is mostly a word or a number. */
const WEAK = ["token"];
const CORE = `(?<core>${[...STRONG, ...WEAK].join("|")})`;
const OPEN = String.raw`(?<open>\\{0,7}["'\x60]?)`;
const GAP = String.raw`(?<gap>\\{0,7}["'\x60]?\]?${COLOUR}{0,2}\s{0,8}(?:=>|:=|==?|:|%3[DdAa](?:%20|%22|%27|\+)?)\s{0,8}${COLOUR}{0,2}(?:[bru]{1,2}(?=["']))?)`;
/**
 * Unquoted values end at white space, quotes and brackets, and where Chinese goes on behind a Latin word; Slack's escapes
 * are part of the value.
 */
const BARE = String.raw`(?:(?:&(?:(?:amp|lt|gt);)?|(?!${COLOUR})(?=[!-~])[^&"'\x60,;<>{}()|\\])+|(?:(?!${COLOUR})[^\s"'\x60,;<>{}()|\\\x1b])+)`;
const VALUE = String.raw`(?<value>(?<=")(?:[^"\\\x1b]|\\[^"])+|(?<=')(?:[^'\\\x1b]|\\[^'])+|(?<=\x60)[^\x60]+|${BARE})`;

const ASSIGNED = new RegExp(CORE + GAP + OPEN + VALUE, "gi");
/** `--password x`, `ENV HF_TOKEN x`, `setenv KEY x`: a space stands where the equals sign would. */
const SPACED = new RegExp(
  String.raw`(?<head>(?:(?<![-.\w])|(?<=\x1b?\[[0-9;]{1,12}m|\\[nrt]))--[a-z0-9_.-]{0,40}|(?:setenv|ENV|ARG)\s+[a-z0-9_]{0,40})${CORE}(?<gap>\s{1,4}${COLOUR}{0,2})${OPEN}${VALUE}`,
  "gi",
);
/** <password>x</password>, also as Slack escapes it. */
const TAGGED = new RegExp(
  String.raw`(?<head>(?:<|&lt;)(?!redacted:)[a-z0-9_.:-]{0,40})${CORE}(?<gap>(?:>|&gt;))(?<open>)(?<value>[^<&\s]+)`,
  "gi",
);
/** A .netrc file, on one line or on three. */
const NETRC = /(?<keep>(?:\blogin\s+\S{1,80}\s+|^\s*)password\s+)(?!<redacted:)(?=\D*\d)\S{6,}/g;
/** What a plain line with a secret holds. */
const PLAIN_HINTS: readonly string[] = [
  ...FORMATS.flatMap(({ holds }) => holds),
  ...["pass", "pswd", "pwd", "secret", "token", "key", "_auth", "credential"].flatMap((name) => [
    name,
    name.toUpperCase(),
    name.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  ]),
  "PRIVATE KEY",
];
/** Every line with a secret holds one of these, but for the inner lines of a private key. For readers of large logs. */
export const HINTS: readonly string[] = [
  ...new Set(
    PLAIN_HINTS.flatMap((hint) => {
      const encoded = encodeURIComponent(hint);
      return [hint, encoded, encoded.replace(/%../g, (code) => code.toLowerCase()), hint.replaceAll("/", "\\/")];
    }),
  ),
];
const NAMES = /pass|pswd|pwd|secret|token|key|_auth|credential/i;

/** Words that stand where a value would but are none: settings, placeholders, prose after a colon. */
const NO_VALUE =
  /^(?:true|false|none|null|nil|undefined|yes|no|on|off|str|string|bool|int|bytes|optional|required|empty|unset|set|not|missing|invalid|incorrect|expired|wrong|must|should|is|was|are|has|have|had|the|a|an|for|of|to|in|from|and|or|with|you|your|please|prompt|prompted|default|value|env|file|auto|n\/a|todo|changeme|redacted|hidden|masked|[*.xX#•-]+|\d{1,3}|nan)[.,:!?]*$/i;
/** Code and references: the value is somewhere else. */
const REFERENCE =
  /^(?:\$|%\w|%\(|\{|<|\[|&lt;|os\.|env[.([]|self\.|args\.|config\.|cfg\.|opts?\.|settings\.|process\.|getpass|getenv|Optional\[|Union\[|SecretStr$|\*{2,})/;
const MODEL_TOKEN =
  /(?:eos|bos|pad|unk|sep|cls|mask|eod|eot|eom|image|img|video|audio|vision|think|start|end|stop|next|first|last|special|added|per|prefix|suffix|middle|fim|sot|begin|decoder|forced|max|min|num|total|avg|new|draft|sampled|generated|predicted|target|prompt|each|this|bad|unexpected|invalid|reserved|router|expert)[ _-]?$/i;

function looksSecret(value: string): boolean {
  return value.length >= 8 && /[0-9]/.test(value) && /[A-Za-z]/.test(value) && /^[\w.+/=~:-]+$/.test(value);
}

function isSecret(core: string, value: string, before: string): boolean {
  if (value.startsWith("<redacted:") || NO_VALUE.test(value) || REFERENCE.test(value)) return false;
  const name = core.toLowerCase();
  if (name === "token") return !MODEL_TOKEN.test(before) && looksSecret(value);
  // PWD and OLDPWD are the shell's folder; a key's value may be the file that holds it.
  if (/^(?:\/|~|\.{1,2}\/|file:)/.test(value)) return !/pwd|key|credential/.test(name);
  // "id_token" and "user_token" also name a model's own tokens: <s>, 32000.
  return !(name.endsWith("token") && (/^\d+$/.test(value) || value.length < 6));
}

function kindOf(core: string): string {
  const name = core.toLowerCase();
  if (/pass|pswd|pwd/.test(name)) return "password";
  return /token|_auth/.test(name) ? "token" : "secret";
}

function redactNamed(line: string, pattern: RegExp, count: Count): string {
  return line.replace(pattern, (whole: string, ...rest: unknown[]) => {
    const { head = "", core, gap, open, value } = rest.at(-1) as Record<string, string>;
    const at = rest.at(-3) as number;
    if (core === undefined || value === undefined || gap === undefined || open === undefined) return whole;
    const before = line.slice(Math.max(0, at - 24), at) + head;
    // A query's next parameter begins at "&"; elsewhere "&" is part of the value, where that looks like one with it.
    const query = /[?&;][\w.-]*$/.test(before) && open === "";
    const taken = query || !isSecret(core, value, before) ? (value.split("&")[0] ?? value) : value;
    if (!isSecret(core, taken, before)) return whole;
    return head + core + gap + open + count(kindOf(core)) + value.slice(taken.length);
  });
}

function redactFormats(line: string, count: Count): string {
  let out = line;
  for (const { kind, holds, pattern } of FORMATS) {
    if (!holds.some((literal) => out.includes(literal))) continue;
    out = out.replace(pattern, (...found: unknown[]) => {
      const groups = found.at(-1);
      const keep = typeof groups === "object" && groups !== null ? ((groups as Record<string, string>).keep ?? "") : "";
      return keep + count(kind);
    });
  }
  return out;
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
/** The rest of a one-line key: base64 with written line breaks, or with blanks before more of it. */
const ONE_LINE = /^(?:\\{1,4}[nr]|[A-Za-z0-9+/=]|[ \t](?=[A-Za-z0-9+/=]{16}))*/;
/** A key's line: base64 to its end (behind it quotes, a written line break, a comma); prefixes may stand in front. */
const BODY = /([A-Za-z0-9+/=]{1,512})((?:\\[nr]|["',+\s]){0,6})$/;
/** Lines of a key whose head was cut off: nothing but 64 or 70 characters of mixed base64. */
const HEADLESS =
  /^(\s*)((?=\D*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=.*[G-Zg-z+/])(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70}))(\s*)$/;

/** Private keys span lines, so this part remembers. `patience` ends a key that was cut: three lines that are none of it. */
function createKeyEraser(count: Count): (line: string) => string {
  let inside = false;
  let patience = 0;
  let counted = false;

  function placeholder(): string {
    if (counted) return "<redacted:private-key>";
    counted = true;
    return count("private-key");
  }

  function body(line: string): string {
    const end = END.exec(line);
    if (end) {
      inside = false;
      const front = line.slice(0, end.index);
      const from = Math.max(0, front.length - 600);
      const found = BODY.exec(front.slice(from));
      return (found ? front.slice(0, from + found.index) + placeholder() + found[2] : front) + line.slice(end.index);
    }
    // Only a line's end is looked at, so that a very long line costs no more than a short one.
    const from = Math.max(0, line.length - 600);
    const found = BODY.exec(line.slice(from));
    const front = found ? line.slice(0, from + found.index) : "";
    // A short run is the key's last line only where nothing but a prefix stands in front of it.
    const isBody =
      found?.[1] !== undefined && (found[1].length >= 32 || /^(?:[^A-Za-z0-9]*|.*[\]:>|]\s*["']?)$/.test(front));
    if (isBody && found && /[A-Za-z0-9]/.test(found[1] ?? "")) {
      patience = 3;
      return front + placeholder() + found[2];
    }
    const header = /^(.*?\b(?:DEK-Info|Proc-Type|Comment|Version): ?)(.+)$/.exec(line);
    if (header) return header[1] + placeholder();
    if (line.trim() !== "" && --patience <= 0) inside = false;
    return line;
  }

  return (line) => {
    if (inside) return line.includes("<redacted:private-key>") ? line : body(line);
    if (line.length >= 64 && line.length < 200 && HEADLESS.test(line)) {
      counted = false;
      return line.replace(HEADLESS, (_, left: string, __, right: string) => left + placeholder() + right);
    }
    if (!line.includes("PRIVATE KEY")) return line;
    let out = "";
    let rest = line;
    for (let begin = BEGIN.exec(rest); begin; begin = BEGIN.exec(rest)) {
      counted = false;
      const at = begin.index + begin[0].length;
      out += rest.slice(0, at);
      rest = rest.slice(at);
      const run = (ONE_LINE.exec(rest)?.[0] ?? "").trimEnd();
      if (rest.startsWith("<redacted:")) continue;
      if (/[A-Za-z0-9+/=]{12}/.test(run) || END.test(rest.slice(run.length, run.length + 80))) {
        if (/[A-Za-z0-9]/.test(run.replace(/\\[nr]/g, ""))) out += placeholder();
        else out += run;
        rest = rest.slice(run.length);
      } else if (/^(?:\\[nr]|["'\s])*$/.test(rest)) {
        inside = true;
        patience = 3;
      }
    }
    return out + rest;
  };
}

export function createRedactor(): Redactor {
  const counts: Record<string, number> = {};
  const count: Count = (kind) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    return `<redacted:${kind}>`;
  };
  const eraseKeys = createKeyEraser(count);
  const mender = createMender(count);
  return {
    counts,
    get open() {
      return mender.open;
    },
    push(line) {
      const mended = redactOtherwiseWritten(mender.rest(line), count);
      return redactNames(mender.cut(mended, redactFormats(eraseKeys(mended), count)), count);
    },
  };
}

const ESCAPED_SLASH = /\\{1,7}\//g;
/** What an address within an address may be made of. */
const RUN = /[^\s"'<>\x60]+/g;
const CODES = /(?:%[0-9A-Fa-f]{2})+/g;

/** Secrets that JSON wrote with escaped slashes, or an address with percent signs. Where there is none, nothing changes. */
function redactOtherwiseWritten(line: string, count: Count): string {
  const unescaped = line.includes("\\/") ? cleanOr(line, line.replace(ESCAPED_SLASH, "/"), count) : line;
  if (!unescaped.includes("%")) return unescaped;
  return unescaped.replace(RUN, (run) => {
    if (!run.includes("%")) return run;
    const decoded = run.replace(CODES, decode);
    return decoded === run ? run : cleanOr(run, decoded, count);
  });
}

/** Line breaks stay within the line, written as in JSON. Codes that are no text stay as they are. */
function decode(codes: string): string {
  try {
    return decodeURIComponent(codes).replace(/\p{Cc}/gu, (code) => (code === "\n" || code === "\r" ? "\\n" : " "));
  } catch {
    return codes;
  }
}

/** `plain` without its secrets; `written` where it holds none. */
function cleanOr(written: string, plain: string, count: Count): string {
  const clean = redactNames(redactFormats(createKeyEraser(count)(plain), count), count);
  return clean === plain ? written : clean;
}

function redactNames(line: string, count: Count): string {
  if (!NAMES.test(line)) return line;
  let out = redactNamed(line, ASSIGNED, count);
  out = redactNamed(out, SPACED, count);
  out = redactNamed(out, TAGGED, count);
  if (!out.includes("password")) return out;
  return out.replace(NETRC, (...found: unknown[]) => (found.at(-1) as { keep: string }).keep + count("password"));
}

/** The whole text at once. Redacting what is already redacted changes and counts nothing. */
export function redact(text: string): { text: string; counts: Record<string, number> } {
  const redactor = createRedactor();
  const out = text
    .split("\n")
    .map((line) => redactor.push(line))
    .join("\n");
  return { text: out, counts: redactor.counts };
}
