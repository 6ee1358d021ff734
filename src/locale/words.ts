// The program's own words, by language.
import { en, type Words } from "./en.ts";
import { zh } from "./zh.ts";

export function wordsFor(language: "en" | "zh"): Words {
  return language === "zh" ? zh : en;
}
