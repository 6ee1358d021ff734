// Text -> verdict, for text that is there as a whole: a string is one chunk.
import { createReader } from "./reader.ts";
import type { Rules } from "./rules.ts";
import type { Verdict } from "./verdict-type.ts";

export interface Source {
  name: string;
  text: string;
}

/** One case from one paste or from several sources (files of one folder). Never throws. */
export function diagnose(text: string | readonly Source[], rules: Rules): Verdict {
  const reader = createReader(rules);
  for (const source of typeof text === "string" ? [{ name: "paste", text }] : text) {
    reader.push(source.name, source.text);
    reader.end(source.name);
  }
  return reader.finish();
}
