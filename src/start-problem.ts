// Why the service could not start, said so that an operator knows what to do.
import type { Config } from "./config.ts";
import { StoreProblem } from "./store/problem.ts";

interface Failure {
  code?: unknown;
  message?: string;
  data?: { error?: string };
}

/** Slack's word for what is wrong with a token, and what to do about it. */
const REFUSED: Record<string, string> = {
  invalid_auth: "Slack does not know this token (invalid_auth).",
  not_authed: "Slack got no token (not_authed).",
  token_revoked: "this token was revoked (token_revoked).",
  token_expired: "this token has expired (token_expired).",
  account_inactive: "the app was removed from the workspace (account_inactive).",
  not_allowed_token_type: "this is a token of another kind (not_allowed_token_type).",
  missing_scope: "this token lacks a scope (missing_scope).",
};

/** Something that whoever runs it can put right: exit code 2, not 3. */
export function isOperators(error: unknown): boolean {
  const { code, data } = error as Failure;
  return error instanceof StoreProblem || code === "EADDRINUSE" || code === "EACCES" || data?.error !== undefined;
}

export function sayStart(error: unknown, config: Config): string {
  const { code, data, message } = error as Failure;
  if (error instanceof StoreProblem) return error.message;
  if (code === "EADDRINUSE")
    return `port ${config.port} is in use. Stop what listens there, or set PORT to another one. [config]`;
  if (code === "EACCES") return `port ${config.port} may not be opened. Set PORT to 1024 or more. [config]`;
  if (data?.error) {
    const why = REFUSED[data.error] ?? `Slack refuses to start (${data.error}).`;
    return `${why} Copy SLACK_BOT_TOKEN anew from "OAuth & Permissions"${config.slack.appToken ? ' and SLACK_APP_TOKEN from "Basic Information", "App-Level Tokens"' : ""} of your Slack app. [config]`;
  }
  if (
    code === "slack_webapi_request_error" ||
    code === "slack_webapi_http_error" ||
    /hello from Slack/.test(message ?? "")
  )
    return `Slack cannot be reached at ${config.slack.apiUrl ?? "https://slack.com/api/"} (${message}). Check the network, a proxy, or SLACK_API_URL. [slack]`;
  return `our own failure, not yours: ${message ?? String(error)}`;
}
