// Named secret formats become `<redacted:kind>`. Nothing else changes: not the number of lines, not hosts, addresses,
// paths, ranks, hashes or counts of tokens, so that a verdict reads the same facts before and after.

export interface Redactor {
  /** One line in, the same line without its secrets out. Lines of one source, in order: a private key spans several. */
  push(line: string): string;
  /** How many secrets of each kind were taken out so far. */
  readonly counts: Record<string, number>;
}

type Count = (kind: string) => string;

/** A colour code, or what is left of one when a terminal's escape byte was lost in copying. */
const COLOUR = String.raw`(?:\x1b?\[[0-9;]{1,12}m)`;
/** Where a token may begin: not inside a word, but right after a colour code, an escaped line break or %3D. */
const START = String.raw`(?<=^|[^A-Za-z0-9_-]|\x1b?\[[0-9;]{1,12}m|\\[nrt]|%[0-9A-Fa-f]{2})`;

interface Format {
  kind: string;
  /** Cheap test before the pattern: a line without any of these has none. */
  holds: readonly string[];
  pattern: RegExp;
}

function format(kind: string, holds: string | readonly string[], pattern: string, flags = "g"): Format {
  return { kind, holds: typeof holds === "string" ? [holds] : holds, pattern: new RegExp(pattern, flags) };
}

// Every pattern takes a run of one class of characters to its end and needs nothing after it: linear on any line.
// A group named `keep` stays in front of the placeholder. Tokens cut at a line's end are taken from 12 characters on.
const FORMATS: readonly Format[] = [
  format(
    "aws-key-id",
    ["AKIA", "ASIA", "ABIA", "ACCA"],
    String.raw`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  ),
  format("google-key", "AIza", String.raw`AIza[0-9A-Za-z_-]{20,}`),
  format(
    "google-token",
    ["ya29.", "GOCSPX-", "1//0"],
    String.raw`${START}(?:ya29\.[0-9A-Za-z_.-]{12,}|GOCSPX-[0-9A-Za-z_-]{12,}|1//0[0-9A-Za-z_-]{24,})`,
  ),
  format("azure-secret", "Q~", String.raw`${START}[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{20,}`),
  format(
    "azure-sas",
    ["sig=", "Signature="],
    String.raw`(?<keep>(?:[?&;]|X-Amz-|X-Goog-|SharedAccess)(?:sig|Signature)=)[A-Za-z0-9%+/=_-]{16,}`,
  ),
  format(
    "azure-key",
    ["AccountKey=", "AccessKey="],
    String.raw`(?<keep>(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9%+/=]{12,}`,
  ),
  format(
    "github-token",
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    String.raw`(?:gh[pousr]_|github_pat_)[A-Za-z0-9][A-Za-z0-9_]{11,}(?:\.[A-Za-z0-9_-]{8,}){0,4}`,
  ),
  format(
    "gitlab-token",
    ["gl", "GR1348941"],
    String.raw`${START}(?:gl(?:pat|ptt|dt|rt|cbt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_-]{12,}(?:\.[A-Za-z0-9_-]{6,}){0,4}|GR1348941[A-Za-z0-9_-]{12,})`,
  ),
  format("slack-token", ["xox", "xapp-"], String.raw`(?:xox[a-z](?:\.xox[bp])?-|xapp-)[A-Za-z0-9-]{8,}`),
  format(
    "slack-webhook",
    "hooks.slack",
    String.raw`(?<keep>hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/)[A-Za-z0-9_/+-]{8,}`,
  ),
  format(
    "webhook",
    ["/api/webhooks/", "/bot/v2/hook/", "/webhook/send?key="],
    String.raw`(?<keep>/api/webhooks/\d{5,25}/|/bot/v2/hook/|/webhook/send\?key=)[A-Za-z0-9_-]{12,}`,
  ),
  format(
    "huggingface-token",
    ["hf_", "api_org_"],
    String.raw`(?:(?<![A-Za-z0-9])hf_|(?<=\[[0-9;]{1,12}m|\\[nrt]|%[0-9A-Fa-f]{2})hf_|api_org_)(?=[A-Za-z]*[A-Z0-9])(?=[A-Z0-9]*[a-z])[A-Za-z0-9]{24,38}(?![A-Za-z0-9])`,
  ),
  format("wandb-key", "wandb_v1_", String.raw`wandb_v1_[A-Za-z0-9_]{12,}`),
  format(
    "wandb-key",
    "wandb",
    String.raw`(?<keep>wandb[^\n]{0,120}?\b(?:login|password|[Kk]ey)\b[^\n]{0,60}?[\s=:"'])(?:local-)?[0-9a-f]{40}(?![0-9a-f])`,
  ),
  format("wandb-key", "local-", String.raw`${START}local-[0-9a-f]{40}(?![0-9a-f])`),
  format("npm-token", "npm_", String.raw`${START}npm_[A-Za-z0-9]{30,}`),
  format("pypi-token", "pypi-", String.raw`${START}pypi-[A-Za-z0-9_-]{40,}`),
  format("anthropic-key", "sk-ant-", String.raw`${START}sk-ant-[A-Za-z0-9_-]{12,}`),
  format(
    "openai-key",
    ["sk-", "sess-"],
    String.raw`${START}(?:sk-(?:proj-|svcacct-|admin-|or-v1-)?(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{20,}|sess-[A-Za-z0-9]{40,})`,
  ),
  format(
    "api-key",
    [
      "nvapi-",
      "dapi",
      "dckr_pat_",
      "dop_v1_",
      "gsk_",
      "r8_",
      "hvs.",
      "hvb.",
      "sk_live_",
      "rk_live_",
      "LTAI",
      "AKID",
      "AKLT",
      "SG.",
    ],
    String.raw`${START}(?:nvapi-[A-Za-z0-9_-]{20,}|dapi[0-9a-f]{32}|dckr_pat_[A-Za-z0-9_-]{20,}|dop_v1_[0-9a-f]{40,}|gsk_[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|hv[sb]\.[A-Za-z0-9_-]{20,}|[sr]k_live_[A-Za-z0-9]{16,}|LTAI[A-Za-z0-9]{12,24}|AKID[A-Za-z0-9]{28,}|AKLT[A-Za-z0-9]{28,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})(?![A-Za-z0-9])`,
  ),
  format("jwt", "eyJ", String.raw`${START}eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}`),
  format(
    "basic-auth",
    ["uthorization", "UTHORIZATION"],
    String.raw`(?<keep>authorization\\?["']?${COLOUR}?\s{0,4}[:=]${COLOUR}?\s{0,4}\\?["']?Basic\s{1,4})[A-Za-z0-9+/=_-]{4,}`,
    "gi",
  ),
  format(
    "bearer",
    ["uthorization", "UTHORIZATION"],
    String.raw`(?<keep>authorization\\?["']?${COLOUR}?\s{0,4}[:=]${COLOUR}?\s{0,4}\\?["']?(?:Bearer|Token|ApiKey|Key|Digest|Negotiate|JWT)\s{1,4})(?!<redacted:)[A-Za-z0-9._~+/=:-]{4,}`,
    "gi",
  ),
  format(
    "bearer",
    ["earer ", "EARER "],
    String.raw`(?<keep>\bbearer\s{1,4}["']?)(?=[A-Za-z._~+/=-]{0,200}[0-9])[A-Za-z0-9._~+/=-]{12,}`,
    "gi",
  ),
  format(
    "basic-auth",
    [" -u", "--user", "--proxy-user"],
    String.raw`(?<keep>\s(?:-u|--user|--proxy-user)(?:\s{1,3}|=)["']?[A-Za-z0-9_.@+-]{1,64}:)(?!<redacted:)(?![0-9]{1,6}(?:["'\s]|$))[^\s"']{3,}`,
  ),
  format(
    "url-password",
    "://",
    String.raw`(?<keep>://[^\s/:@"'<>|]{0,128}:)(?!<redacted:)[^\s/"'<>|]{1,256}(?=@(?!sha256:)[^\s])`,
  ),
  format("url-password", "://", String.raw`(?<keep>://)(?=[A-Za-z_-]{0,80}[0-9])[A-Za-z0-9_-]{20,}(?=@)`),
];

/** Names whose value is a secret whatever it looks like. */
const STRONG = [
  "pass(?:word|wd|phrase)",
  "pswd",
  "pwd",
  "(?:db|smtp|mysql|pg|postgres|redis|ftp|mail|user|admin|root|proxy|http|ldap|ssh|sudo|registry|docker)[_-]?pass",
  "secret(?:[ ._-]?(?:access|api)?[ ._-]?key|[_-]?token|[_-]?value)?",
  "(?:api|access|auth|account|private|signing|encryption|shared|storage|service|master|ssh|wandb|swanlab|comet|license)[ ._-]?key",
  "(?:access|auth|refresh|bearer|session|security|api|private|deploy|oauth|personal|identity|id|csrf|xsrf|hf|hub|hugging_?face|wandb|github|gh|gitlab|git|slack|bot|app|user|npm|pypi|modelscope|swanlab|neptune|vault|registry|login|jupyter|admin|service|account|job|ci)[_-]?token",
  "_auth(?:token)?",
  "credentials?",
];
/** Names that hold a secret only where the value looks like one: a model's `token` is mostly a word or a number. */
const WEAK = ["token"];
const CORE = `(?<core>${[...STRONG, ...WEAK].join("|")})`;
const OPEN = String.raw`(?<open>\\{0,3}["'\x60]?)`;
const GAP = String.raw`(?<gap>\\{0,3}["'\x60]?\]?${COLOUR}{0,2}\s{0,8}(?:=>|:=|==?|:)\s{0,8}${COLOUR}{0,2}(?:[bru]{1,2}(?=["']))?)`;
/** Unquoted values end at white space, quotes and brackets; Slack's escapes are part of the value. */
const BARE = String.raw`(?:&(?:amp|lt|gt);|(?!${COLOUR})[^\s"'\x60,;<>{}()|\\\x1b])+`;
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
    // A query's next parameter begins at "&"; elsewhere "&" is part of the value.
    const query = /[?&;][\w.-]*$/.test(before) && open === "";
    const taken = query ? (value.split("&")[0] ?? value) : value;
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
/** The rest of a one-line key: base64 with written line breaks. */
const ONE_LINE = /^(?:\\{1,4}[nr]|[A-Za-z0-9+/= \t])*/;
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
  return {
    counts,
    push(line) {
      let out = redactFormats(eraseKeys(line), count);
      if (!NAMES.test(out)) return out;
      out = redactNamed(out, ASSIGNED, count);
      out = redactNamed(out, SPACED, count);
      out = redactNamed(out, TAGGED, count);
      if (!out.includes("password")) return out;
      return out.replace(NETRC, (...found: unknown[]) => (found.at(-1) as { keep: string }).keep + count("password"));
    },
  };
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
