// The secret formats that are known by their own shape, wherever they stand: prefixes, lengths, what stands before them.

import { API_KEYS } from "./api-keys.ts";

/** A colour code, or what is left of one when a terminal's escape byte was lost in copying. */
export const COLOUR = String.raw`(?:\x1b?\[[0-9;]{1,12}m)`;
/** Where a token may begin: not inside a word, but right after a colour code, an escaped line break or %3D. */
const START = String.raw`(?<=^|[^A-Za-z0-9_-]|\x1b?\[[0-9;]{1,12}m|\\[nrt]|%[0-9A-Fa-f]{2})`;

/** A colon or an equals sign with blanks, also as an address writes them, and one blank or more. */
const IS = String.raw`(?:\s|%20|\+){0,4}(?:[:=]|%3[AaDd])(?:\s|%20|\+){0,4}`;
const GAP = String.raw`(?:\s|%20|\+){1,4}`;

export interface Format {
  kind: string;
  /** Cheap test before the pattern: a line without any of these, of three bytes or more, has none. */
  holds: readonly string[];
  pattern: RegExp;
}

function asLatin1(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

function format(kind: string, holds: string | readonly string[], pattern: string, flags = "g"): Format {
  return { kind, holds: typeof holds === "string" ? [holds] : holds, pattern: new RegExp(pattern, flags) };
}

const HEX_DIGITS = [..."0123456789abcdef"];
/** "SEC" alone begins too many words. */
const SIGNING = HEX_DIGITS.flatMap((one) => HEX_DIGITS.map((two) => `SEC${one}${two}`));

/** AK and SK as names of their own. Five bytes and more are searched for cheaply: "_SK=" alone would cost a hundred times as much. */
const PAIRED = [
  ...["SDK", "CLOUD", "OBS", "TOS", "OSS", "ACCESS", "BOS", "KS3"].flatMap((owner) => [`${owner}_AK`, `${owner}_SK`]),
  ...["AK", "SK", "ak", "sk"].flatMap((name) => [
    `"${name}":`,
    `'${name}':`,
    `--${name}`,
    `${name}\\\\\\"`,
    `"${name}\\"`,
  ]),
];
/** How Chinese names them, and the same bytes read as Latin-1: large files are read so. */
const WRITTEN = ["密码", "口令", "密钥", "秘钥", "令牌"].flatMap((word) => [word, asLatin1(word)]);
const GITLAB = ["pat", "ptt", "dt", "rt", "cbt", "ft", "imt", "agent", "oas", "soat", "ffct", "wt"];

// Every pattern takes a run of one class of characters to its end and needs nothing after it: linear on any line.
// A group named `keep` stays in front of the placeholder. Tokens cut at a line's end are taken from 12 characters on.
export const FORMATS: readonly Format[] = [
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
  format(
    "azure-secret",
    ["0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~"],
    String.raw`${START}[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{20,}`,
  ),
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
    [...GITLAB.map((name) => `gl${name}-`), "GR1348941"],
    String.raw`${START}(?:gl(?:${GITLAB.join("|")})-[A-Za-z0-9_-]{12,}(?:\.[A-Za-z0-9_-]{6,}){0,4}|GR1348941[A-Za-z0-9_-]{12,})`,
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
    API_KEYS.map(([begins]) => begins),
    `${START}(?:${API_KEYS.map(([begins, goesOn]) => begins.replaceAll(".", "\\.") + goesOn).join("|")})(?![A-Za-z0-9])`,
  ),
  format("api-key", "secret_", String.raw`${START}secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])`),
  format("api-key", "NRAL", String.raw`${START}[0-9a-f]{36}NRAL(?![A-Za-z0-9])`),
  format("api-key", ".atlasv1.", String.raw`${START}[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}`),
  format(
    "api-key",
    HEX_DIGITS.map((digit) => `SK${digit}`),
    String.raw`${START}SK[0-9a-f]{32}(?![A-Za-z0-9])`,
  ),
  format("webhook", SIGNING, String.raw`${START}SEC[0-9a-f]{64}(?![A-Za-z0-9])`),
  format("bot-token", ":AA", String.raw`${START}(?<keep>bot)?[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])`),
  format("jwt", "eyJ", String.raw`${START}eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}`),
  format(
    "basic-auth",
    ["uthorization", "UTHORIZATION"],
    String.raw`(?<keep>authorization\\?["']?${COLOUR}?${IS}${COLOUR}?\\?["']?Basic${GAP})[A-Za-z0-9+/=_-]{4,}`,
    "gi",
  ),
  format(
    "bearer",
    ["uthorization", "UTHORIZATION"],
    String.raw`(?<keep>authorization\\?["']?${COLOUR}?${IS}${COLOUR}?\\?["']?(?:Bearer|Token|ApiKey|Key|Digest|Negotiate|JWT)${GAP})(?!<redacted:)[A-Za-z0-9._~+/=:-]{4,}`,
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
  // Slack takes "password@host" for a mail address, and writes it twice.
  format(
    "url-password",
    ":<mailto:",
    String.raw`(?<keep>://[^\s/:@"'<>|]{0,128}:<mailto:)(?!<redacted:)[^\s/"'<>|@]{1,256}(?=@)`,
  ),
  format(
    "url-password",
    "<mailto:<redacted:url-password>@",
    String.raw`(?<keep><mailto:<redacted:url-password>@[^\s<>|@]{1,256}\|)(?!<redacted:)[^\s<>|@]{1,256}(?=@)`,
  ),
  format("url-password", "://", String.raw`(?<keep>://)(?=[A-Za-z_-]{0,80}[0-9])[A-Za-z0-9_-]{20,}(?=@)`),
  format(
    "url-password",
    ["%3A%2F%2F", "%3a%2f%2f"],
    String.raw`(?<keep>%3[Aa]%2[Ff]%2[Ff][^\s%/:@"'<>|&]{0,128}%3[Aa])(?!<redacted:)[^\s"'<>|&]{1,256}?(?=%40)`,
  ),
  format(
    "password",
    ["sshpass", "docker login", "podman login", "swanlab login", "registry login", "mysql", "redis-cli"],
    String.raw`(?<keep>${START}sshpass\s{1,4}-p\s{0,4}["']?|${START}(?:docker|podman|swanlab|registry) login\b[^\n]{0,120}?\s(?:-p|-k|--api-key)[ =]["']?|${START}mysql(?:dump|admin)?\b[^\n]{0,120}?\s-p["']?(?=[^\s"'])|${START}redis-cli\b[^\n]{0,120}?\s-a\s{1,3}["']?)(?!<redacted:|-)[^\s"'<$\x1b]{4,}`,
  ),
  format(
    "basic-auth",
    ['"auth"', "auth\\", "dockerconfigjson"],
    String.raw`(?<keep>(?:"auth\\{0,7}"|dockerconfigjson["'\\]{0,8})\s{0,4}[:=]\s{0,4}["'\\]{0,8})[A-Za-z0-9+/]{8,}={0,2}`,
  ),
  format(
    "api-key",
    ['"key"', '"key\\', '"username'],
    String.raw`(?<keep>"username\\{0,7}"[^\n}]{0,80}?"key\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}")[0-9a-f]{32}(?![0-9a-f])`,
  ),
  format(
    "secret",
    PAIRED,
    String.raw`(?<keep>(?<![A-Za-z])(?:[AS]K|[as]k)\\{0,7}["']?(?:${IS})\\{0,7}["']?)(?=[A-Za-z+/=_-]{0,80}[0-9])(?=[0-9+/=_-]{0,80}[A-Za-z])[A-Za-z0-9+/=_-]{16,}`,
  ),
  format(
    "cookie",
    ["ookie: ", "OOKIE: ", "ookie:", 'ookie"', "ookie'", "ookie=", "ookie\\"],
    String.raw`(?<keep>${START}(?:set-)?cookie\\{0,7}["']?\s{0,3}[:=]\s{0,3}\\{0,7}["']?)[\w.-]{1,64}=[^\s;"'\\,\x1b]{8,4096}(?:;\s{0,2}[\w.-]{1,64}=[^\s;"'\\,\x1b]{1,4096}){0,20}`,
    "gi",
  ),
  format(
    "secret",
    WRITTEN,
    String.raw`(?<keep>(?:${WRITTEN.join("|")})[^\x21-\x7e]{0,8}[:=]?\s{0,3}["'\x60]?)(?=[!-~]{0,80}[0-9])(?=[!-~]{0,80}[A-Za-z])(?!<redacted:)[!-&(-~]{8,}`,
  ),
];
