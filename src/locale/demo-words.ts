// The demo's own words, by language.
import { type DemoWords, demoEn } from "./demo-en.ts";
import { demoZh } from "./demo-zh.ts";

export function demoWordsFor(language: "en" | "zh"): DemoWords {
  return language === "zh" ? demoZh : demoEn;
}
