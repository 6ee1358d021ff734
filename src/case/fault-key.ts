// What makes two failures the same fault: what it is called, and what the line that states it says without its numbers.
import type { Verdict } from "../diagnose/verdict-type.ts";

const LONGEST = 400;

/** null where no line states a fault. Two runs that fail alike have the same key. */
export function faultKey({ label, subcause, root }: Verdict, hash: (text: string) => string): string | null {
  if (label === "none" || root === null) return null;
  return hash(JSON.stringify([label, subcause, withoutNumbers(root.quote)]));
}

/** Times, ranks, sizes, addresses and ids differ from run to run. */
export function withoutNumbers(line: string): string {
  return line
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/\b0x[0-9a-f]{1,16}\b|\b[0-9a-f]{8,64}\b/g, "#")
    .replace(/\d{1,20}/g, "#")
    .replace(/#(?:[.,:-]?#){1,40}/g, "#")
    .replace(/\s{1,40}/g, " ")
    .trim();
}
