// What of a message's files was not read, in a sentence for each: why, and what to do.
import { slackWordsFor } from "../locale/slack-words.ts";
import type { LeftOut } from "../reading/unreadable.ts";

export function sayLeft(left: readonly LeftOut[], language: "en" | "zh"): string {
  const words = slackWordsFor(language).left;
  return left.map(({ name, why }) => words[why](name)).join("\n");
}

/** Sent to be read, by its name; pictures and the like are left alone where nobody asks. */
export function isLog({ name }: LeftOut): boolean {
  return /\.(?:log|txt|out|err|gz|tgz|tar|zip)$/i.test(name);
}
