// The hash of a redacted source, in any pieces, and how many secrets stood in it. What a receipt is made of.
import { createHash } from "node:crypto";
import { HINTS, type Redactor } from "../diagnose/redact.ts";
import { buildSieve, createBlock, ROOM, sift } from "../diagnose/sieve.ts";

export interface Fingerprint {
  push(chunk: Uint8Array): void;
  /** SHA-256 in hexadecimal of the text with its secrets replaced; the same for any pieces. */
  digest(): string;
}

/** A longer line is hashed in parts. A secret across two of them stays out of every output all the same: quotes are redacted. */
const LONGEST = 1 << 20;
/** Lines of a private key that follow its first one; of a token that was broken, one. */
const KEY_LINES = 400;
/** Lines of a key whose head was cut off have one of these lengths. */
const HEADLESS = [64, 70];

const hints = buildSieve(HINTS);
const block = createBlock();

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
    if (redactor.open) keyLines = Math.max(keyLines, 1);
  }

  /** Hashes lines that together fit into the block. */
  function few(lines: Buffer): void {
    let found = false;
    let hashed = 0;
    let start = 0;
    let newline = lines.indexOf(10);
    const endsBefore = (place: number): void => {
      while (newline >= 0 && newline < place) {
        if (found || keyLines > 0 || HEADLESS.includes(newline - start)) {
          hash.update(lines.subarray(hashed, start));
          redacted(lines.subarray(start, newline));
          hashed = newline;
        }
        found = false;
        start = newline + 1;
        newline = lines.indexOf(10, start);
      }
    };
    lines.copy(block.bytes);
    sift(hints, block, lines.length, (_, at) => {
      endsBefore(at);
      found = true;
      return newline;
    });
    endsBefore(lines.length);
    hash.update(lines.subarray(hashed));
  }

  /** Hashes the whole lines of `text`; returns where the line that goes on begins. */
  function whole(text: Buffer): number {
    let start = 0;
    for (;;) {
      const last = text.subarray(start, start + ROOM).lastIndexOf(10);
      if (last >= 0) {
        few(text.subarray(start, start + last + 1));
        start += last + 1;
        continue;
      }
      const end = text.indexOf(10, start);
      if (end < 0) return start;
      // A line that does not fit is read as text, whatever it holds.
      redacted(text.subarray(start, end));
      hash.update("\n");
      start = end + 1;
    }
  }

  return {
    push(chunk) {
      const given = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const text = begun.length > 0 ? Buffer.concat([begun, given]) : given;
      begun = Buffer.from(text.subarray(whole(text)));
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
