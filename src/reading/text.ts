// Bytes that are a log, and bytes that are none.

/** What is wrong with bytes that are no text, or undefined. Decided on the first chunk. */
export function notText(chunk: Uint8Array): string | undefined {
  const sample = chunk.subarray(0, 4096);
  if (sample.length < 2) return undefined;
  if ((sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff)) {
    return "is UTF-16. Convert it: iconv -f UTF-16 -t UTF-8 FILE > FILE.txt";
  }
  let nulls = 0;
  let odd = 0;
  for (const byte of sample) {
    if (byte === 0) nulls += 1;
    else if (byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b)) odd += 1;
  }
  // Logs after a bus error hold runs of NULs between lines of text; a binary file has little else.
  const binary = nulls + odd > sample.length * 0.3 || (odd > sample.length * 0.03 && brokenShare(sample) > 0.2);
  if (binary) return "is a binary file, not a log. Name the text the job printed";
  return undefined;
}

/** How much is no UTF-8: packed data nearly all, a Chinese log in GBK much, but that has no odd control signs. */
function brokenShare(sample: Uint8Array): number {
  const text = new TextDecoder().decode(sample);
  return text.split("\ufffd").length / text.length;
}
