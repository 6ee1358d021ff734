// Environment -> Config, checked once. The only file that reads process.env.
import { homedir } from "node:os";
import { join } from "node:path";

export interface Config {
  slack: {
    botToken: string | null;
    appToken: string | null;
    signingSecret: string | null;
    apiUrl: string | null;
  };
  /** For calls to https:// addresses, but for those that `except` names. */
  proxy: { https: string | null; except: string | null };
  port: number;
  data: string;
  databaseUrl: string | null;
  baseUrl: string | null;
  lang: "en" | "zh";
  /** Language of the terminal, for commands without --lang. */
  terminalLang: "en" | "zh";
  retentionDays: number;
  logLevel: string;
  color: boolean;
  user: string;
}

/** One malformed setting: which, what is wrong, what to do. */
export interface SettingProblem {
  name: string;
  say: string;
}

export type Env = Record<string, string | undefined>;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

/** All settings at once. Whether Slack's tokens are there is the server's question, so that `diagnose` needs none. */
export function readConfig(env: Env = process.env): { config: Config; problems: SettingProblem[] } {
  const problems: SettingProblem[] = [];
  const get = (name: string): string | null => env[name]?.trim() || null;
  const wrong = (name: string, say: string): void => {
    problems.push({ name, say });
  };

  const port = Number(get("PORT") ?? 3000);
  if (!Number.isInteger(port) || port < 0 || port > 65535) wrong("PORT", "must be a whole number from 0 to 65535.");
  const days = Number(get("FIRSTFAULT_RETENTION_DAYS") ?? 90);
  if (!Number.isInteger(days) || days < 1)
    wrong("FIRSTFAULT_RETENTION_DAYS", "must be a whole number of days, 1 or more.");
  const lang = get("FIRSTFAULT_LANG") ?? "en";
  if (lang !== "en" && lang !== "zh") wrong("FIRSTFAULT_LANG", 'must be "en" or "zh".');
  const databaseUrl = get("DATABASE_URL");
  if (databaseUrl && !/^postgres(ql)?:\/\//.test(databaseUrl)) wrong("DATABASE_URL", "must begin with postgres://.");
  const logLevel = get("LOG_LEVEL") ?? "info";
  if (!LOG_LEVELS.includes(logLevel)) wrong("LOG_LEVEL", `must be one of ${LOG_LEVELS.join(", ")}.`);
  const httpsProxy = get("HTTPS_PROXY") ?? get("https_proxy");
  const urls = {
    SLACK_API_URL: get("SLACK_API_URL"),
    FIRSTFAULT_BASE_URL: get("FIRSTFAULT_BASE_URL"),
    HTTPS_PROXY: httpsProxy,
  };
  for (const [name, url] of Object.entries(urls)) {
    if (url && !(/^https?:\/\//.test(url) && URL.canParse(url)))
      wrong(name, "must be a whole address, such as https://example.org/.");
  }

  return {
    config: {
      slack: {
        botToken: get("SLACK_BOT_TOKEN"),
        appToken: get("SLACK_APP_TOKEN"),
        signingSecret: get("SLACK_SIGNING_SECRET"),
        apiUrl: get("SLACK_API_URL"),
      },
      proxy: { https: httpsProxy, except: get("NO_PROXY") ?? get("no_proxy") },
      port,
      data: get("FIRSTFAULT_DATA") ?? join(get("XDG_DATA_HOME") ?? join(homedir(), ".local", "share"), "firstfault"),
      databaseUrl,
      baseUrl: get("FIRSTFAULT_BASE_URL"),
      lang: lang === "zh" ? "zh" : "en",
      terminalLang: /^zh/i.test(get("LC_ALL") ?? get("LC_MESSAGES") ?? get("LANG") ?? "") ? "zh" : "en",
      retentionDays: days,
      logLevel,
      color: env.NO_COLOR === undefined || env.NO_COLOR === "",
      user: get("USER") ?? get("LOGNAME") ?? "terminal",
    },
    problems,
  };
}

/** What the Slack bot needs; each with the page of the Slack app (api.slack.com/apps) where it is found. */
export function slackProblems({ slack }: Config): SettingProblem[] {
  const problems: SettingProblem[] = [];
  if (!slack.botToken)
    problems.push({
      name: "SLACK_BOT_TOKEN",
      say: 'is missing. Install the app and copy the "Bot User OAuth Token" (xoxb-) from "OAuth & Permissions".',
    });
  else if (!slack.botToken.startsWith("xoxb-"))
    problems.push({
      name: "SLACK_BOT_TOKEN",
      say: 'must begin with xoxb-. It is the "Bot User OAuth Token" under "OAuth & Permissions".',
    });
  if (slack.appToken && !slack.appToken.startsWith("xapp-"))
    problems.push({
      name: "SLACK_APP_TOKEN",
      say: 'must begin with xapp-. Create one with connections:write under "Basic Information", "App-Level Tokens".',
    });
  if (!slack.appToken && !slack.signingSecret)
    problems.push({
      name: "SLACK_APP_TOKEN",
      say: 'is missing, so there is no Socket Mode. Create one with connections:write under "Basic Information", "App-Level Tokens"; or, for HTTP, set SLACK_SIGNING_SECRET from "Basic Information", "App Credentials".',
    });
  return problems;
}
