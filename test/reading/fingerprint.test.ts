import { describe, expect, it } from "vitest";
import { createRedactor, redact } from "../../src/diagnose/redact.ts";
import { createFingerprint } from "../../src/reading/fingerprint.ts";

function fingerprint(text: string, size = text.length): { digest: string; counts: Record<string, number> } {
  const redactor = createRedactor();
  const print = createFingerprint(redactor);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) print.push(bytes.subarray(at, at + size));
  return { digest: print.digest(), counts: redactor.counts };
}

const KEY = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEpAIBAAKCAQEA7bq0x1".repeat(3)}\n${"aB3dE6gH".repeat(8)}\n-----END RSA PRIVATE KEY-----`;
const LOG = `step 1 loss 2.0\nexport HF_TOKEN=hf_${"aB3".repeat(11)}x\n训练 step 2\n${KEY}\nPASSWORD=Tr0ub4dor\nstep 3`;

describe("the fingerprint of a source", () => {
  it.each([1, 5, 64, 1_000])("is the same in pieces of %i bytes", (size) => {
    expect(fingerprint(LOG, size)).toEqual(fingerprint(LOG));
  });

  it("is that of the redacted text: who has only that gets the same", () => {
    const { text, counts } = redact(LOG);

    expect(fingerprint(text).digest).toBe(fingerprint(LOG).digest);
    expect(fingerprint(LOG).counts).toEqual(counts);
  });

  it("changes with any other byte", () => {
    expect(fingerprint(`${LOG}.`).digest).not.toBe(fingerprint(LOG).digest);
  });
});
