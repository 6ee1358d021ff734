// The five logs a person may pick from.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DemoWords } from "../locale/demo-en.ts";

export interface Sample {
  about: string;
  lines: number;
  read(): string;
}

const FILES: [keyof DemoWords["samples"], string][] = [
  ["cascade", "cascade.log"],
  ["late", "late-rank.log"],
  ["shapes", "wrong-shapes.log"],
  ["experts", "hot-experts.log"],
  ["spike", "loss-jump.log"],
];

/** `folder` holds the logs that are shipped to be tried. */
export function readSamples(folder: string, words: DemoWords): Sample[] {
  return FILES.map(([name, file]) => {
    const text = readFileSync(join(folder, file), "utf8");
    return { about: words.samples[name], lines: text.trimEnd().split("\n").length, read: () => text };
  });
}
