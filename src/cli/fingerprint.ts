// The hash of a redacted source, in any pieces, and how many secrets stood in it. What a receipt is made of.
import { createHash } from "node:crypto";
import { buildAutomaton } from "../diagnose/automaton.ts";
import { HINTS, type Redactor } from "../diagnose/redact.ts";

export interface Fingerprint {
  push(chunk: Uint8Array): void;
  /** SHA-256 in hexadecimal of the text with its secrets replaced; the same for any pieces. */
  digest(): string;
}

/** A longer line is hashed in parts. A secret across two of them stays out of every output all the same: quotes are redacted. */
const LONGEST = 1 << 20;
/** Lines of a private key that follow its first one. */
const KEY_LINES = 400;
/** Lines of a key whose head was cut off have one of these lengths. */
const HEADLESS = [64, 70];

const HINT = 1;
const LINE_END = 2;
const hints = buildAutomaton(
  HINTS.map((text) => ({ text, bit: HINT })),
  LINE_END,
);

/** Only lines that hold a hint of a secret are read as text; all others go to the hash as the bytes they are. */
export function createFingerprint(redactor: Redactor): Fingerprint {
  const hash = createHash("sha256");
  let begun: Buffer = Buffer.alloc(0);
  let keyLines = 0;

  function redacted(line: Buffer): void {
    // Bytes as Latin-1: secrets are ASCII, and nothing else is touched.
    const text = line.toString("latin1");
    keyLines = text.includes("PRIVATE KEY") ? KEY_LINES : Math.max(0, keyLines - 1);
    hash.update(redactor.push(text), "latin1");
  }

  /** Hashes the whole lines of `text`; returns where the line that goes on begins. */
  function lines(text: Buffer): number {
    // Locals, not fields: the loop below runs once for each byte.
    const { classes, columns, next, accepting, bits } = hints;
    const length = text.length;
    let state = 0;
    let found = false;
    let hashed = 0;
    let start = 0;
    for (let at = 0; at < length; at += 1) {
      state = next[state * columns + (classes[text[at] as number] as number)] as number;
      if (state < accepting) continue;
      if (bits[state] !== LINE_END) {
        found = true;
        continue;
      }
      if (found || keyLines > 0 || HEADLESS.includes(at - start)) {
        hash.update(text.subarray(hashed, start));
        redacted(text.subarray(start, at));
        hashed = at;
      }
      found = false;
      start = at + 1;
    }
    hash.update(text.subarray(hashed, start));
    return start;
  }

  return {
    push(chunk) {
      const given = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const text = begun.length > 0 ? Buffer.concat([begun, given]) : given;
      begun = Buffer.from(text.subarray(lines(text)));
      while (begun.length > LONGEST) {
        redacted(begun.subarray(0, LONGEST));
        begun = begun.subarray(LONGEST);
      }
    },
    digest() {
      redacted(begun);
      return hash.digest("hex");
    },
  };
}
