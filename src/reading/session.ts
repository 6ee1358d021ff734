// One paste while it is read: text of its sources in any pieces in, what a case keeps of it out. One pass over the bytes.
import type { Given } from "../case/fresh.ts";
import { createReader } from "../diagnose/reader.ts";
import { createRedactor, redact } from "../diagnose/redact.ts";
import type { Rules } from "../diagnose/rules.ts";
import { createFingerprint } from "./fingerprint.ts";

/** What was made of a paste; where Slack has it is added by whoever knows. */
export type Made = Omit<Given, "message">;

export interface Session {
  /** Text of the source `name`. One source after another: the one before has ended. */
  push(name: string, chunk: Uint8Array): void;
  end(name: string): void;
  finish(): Made;
}

/** Tools print less; output readers look at every line of what they get. */
const OUTPUT_BYTES = 256 * 1024;

export function createSession(rules: Rules): Session {
  const reader = createReader(rules);
  const sources: Given["sources"] = [];
  const texts: (string | null)[] = [];
  let outputBytes = 0;
  let open = createSource();

  return {
    push(name, chunk) {
      reader.push(name, chunk);
      open.push(chunk);
    },
    end(name) {
      reader.end(name);
      const { text, ...source } = open.finish();
      outputBytes += source.bytes;
      sources.push({ name, ...source });
      texts.push(text !== null && outputBytes <= OUTPUT_BYTES ? redact(text).text : null);
      open = createSource();
    },
    finish: () => ({ sources, verdict: reader.finish(), texts }),
  };
}

/** What is told of one source, and its text while it is short. */
function createSource() {
  const fingerprint = createFingerprint(createRedactor());
  let bytes = 0;
  let newlines = 0;
  let last = 10;
  let short: Uint8Array[] | null = [];
  return {
    push(chunk: Uint8Array): void {
      fingerprint.push(chunk);
      bytes += chunk.length;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) newlines++;
      last = chunk.at(-1) ?? last;
      if (bytes > OUTPUT_BYTES) short = null;
      short?.push(Uint8Array.from(chunk));
    },
    finish: () => ({
      lines: newlines + (last === 10 ? 0 : 1),
      bytes,
      hash: fingerprint.digest(),
      text: short && Buffer.concat(short).toString("utf8"),
    }),
  };
}
