// The Slack bot's own words, by language.
import { type SlackWords, slackEn } from "./slack-en.ts";
import { slackZh } from "./slack-zh.ts";

export function slackWordsFor(language: "en" | "zh"): SlackWords {
  return language === "zh" ? slackZh : slackEn;
}
