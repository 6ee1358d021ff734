// The hash of a redacted source, in any pieces, and how many secrets stood in it. What a receipt is made of.
import { createHash } from "node:crypto";
import type { Redactor } from "../diagnose/redact.ts";

export interface Fingerprint {
  push(chunk: Uint8Array): void;
  /** SHA-256 in hexadecimal of the text with its secrets replaced; the same for any pieces. */
  digest(): string;
}

/** A longer line is hashed in parts: a secret across two of them stays out of every output all the same, since quotes are redacted. */
const LONGEST = 1 << 20;
const BLOCK = 1 << 16;

export function createFingerprint(redactor: Redactor): Fingerprint {
  const hash = createHash("sha256");
  let begun = "";
  let out = "";

  function line(text: string, end: string): void {
    out += redactor.push(text) + end;
    if (out.length < BLOCK) return;
    hash.update(out, "latin1");
    out = "";
  }

  return {
    push(chunk) {
      // Bytes as Latin-1: secrets are ASCII, and nothing else is touched.
      const text = begun + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
      let at = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
        line(text.slice(at, end), "\n");
        at = end + 1;
      }
      begun = text.slice(at);
      while (begun.length > LONGEST) {
        line(begun.slice(0, LONGEST), "");
        begun = begun.slice(LONGEST);
      }
    },
    digest() {
      line(begun, "");
      hash.update(out, "latin1");
      return hash.digest("hex");
    },
  };
}
