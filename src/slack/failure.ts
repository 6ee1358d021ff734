// What Slack's "no" means: wait, look again, or live with it.
import { webApi } from "@slack/bolt";

/** Slack's own word for what it refused, or null where Slack was not heard. */
export function platformError(error: unknown): string | null {
  return error instanceof webApi.WebAPIPlatformError ? String(error.data.error) : null;
}

/** Slack was not heard, had no time, or said so: the same may well go through later. */
export function isWeather(error: unknown): boolean {
  const { original } = (error ?? {}) as { original?: unknown };
  return [error, original].some(
    (one) =>
      one instanceof webApi.WebAPIRateLimitedError ||
      one instanceof webApi.WebAPIRequestError ||
      one instanceof webApi.WebAPIHTTPError ||
      (one instanceof webApi.WebAPIPlatformError && isUnsure(platformError(one))),
  );
}

/** Our message is gone or too old to change: a new one takes its place. */
export function isGone(why: string | null): why is string {
  return why !== null && ["message_not_found", "edit_window_closed", "cant_update_message"].includes(why);
}

/** Slack may have done it all the same, or was not heard at all. */
export function isUnsure(why: string | null): why is Unsure | null {
  return why === null || (UNSURE as readonly string[]).includes(why);
}

const UNSURE = ["internal_error", "fatal_error", "service_unavailable", "request_timeout"] as const;
type Unsure = (typeof UNSURE)[number];

/** The token was taken away, or the place is closed to us: saying it again changes nothing. */
const CLOSED = new Set([
  "token_revoked",
  "token_expired",
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "user_removed_from_team",
  "team_disabled",
  "org_login_required",
  "team_access_not_granted",
  "missing_scope",
  "is_archived",
  "channel_not_found",
  "not_in_channel",
  "restricted_action",
  "restricted_action_read_only_channel",
  "restricted_action_thread_locked",
]);

export function isClosed(why: string | null): why is string {
  return why !== null && CLOSED.has(why);
}

/** Slack will not have a message. It is logged under the reference, and not tried again. */
export class ClosedToUs extends Error {
  override name = "ClosedToUs";
  readonly reference: string;

  constructor(why: string, reference: string, cause: unknown) {
    super(`Slack takes no message of ours here: ${why}`, { cause });
    this.reference = reference;
  }
}
