// The secret formats that are known by their own shape, wherever they stand: prefixes, lengths, what stands before them.

/** A colour code, or what is left of one when a terminal's escape byte was lost in copying. */
export const COLOUR = String.raw`(?:\x1b?\[[0-9;]{1,12}m)`;
/** Where a token may begin: not inside a word, but right after a colour code, an escaped line break or %3D. */
const START = String.raw`(?<=^|[^A-Za-z0-9_-]|\x1b?\[[0-9;]{1,12}m|\\[nrt]|%[0-9A-Fa-f]{2})`;

export interface Format {
  kind: string;
  /** Cheap test before the pattern: a line without any of these, of three bytes or more, has none. */
  holds: readonly string[];
  pattern: RegExp;
}

function format(kind: string, holds: string | readonly string[], pattern: string, flags = "g"): Format {
  return { kind, holds: typeof holds === "string" ? [holds] : holds, pattern: new RegExp(pattern, flags) };
}

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
