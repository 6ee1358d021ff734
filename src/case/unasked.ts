// When the bot speaks without being spoken to.
import type { Verdict } from "../diagnose/verdict-type.ts";

/**
 * In a channel: only of a failure that it knows, and that a machine's line shows. Words alone may be somebody's story;
 * who wants an answer to them mentions the bot.
 */
export function speaksUnasked(verdict: Verdict): boolean {
  return (
    verdict.root !== null &&
    verdict.label !== "none" &&
    (verdict.status === "confirmed" || verdict.status === "supported")
  );
}
