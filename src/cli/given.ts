// What a person hands to `walk`: a file, a folder of logs, standard input, or lines typed into the terminal.
import { createHash } from "node:crypto";
import type { Given } from "../case/fresh.ts";
import { diagnose } from "../diagnose/diagnose.ts";
import { redact } from "../diagnose/redact.ts";
import type { Rules } from "../diagnose/rules.ts";

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Text typed or pasted into the terminal. */
export function givenText(text: string, rules: Rules): Given {
  const clean = redact(text).text;
  const verdict = diagnose(clean, rules);
  const { lines, bytes } = verdict.input;
  return { sources: [{ name: "paste", lines, bytes, hash: sha256(clean) }], verdict, texts: [clean], message: null };
}
