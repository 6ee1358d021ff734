// The web pages' own words, by language.
import { type WebWords, webEn } from "./web-en.ts";
import { webZh } from "./web-zh.ts";

export function webWordsFor(language: "en" | "zh"): WebWords {
  return language === "zh" ? webZh : webEn;
}
