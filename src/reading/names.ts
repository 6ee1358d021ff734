// What a file is called -> what its source is called. A name is a stranger's text: it never becomes a path of ours.
import { redact } from "../diagnose/redact.ts";

const LONGEST = 120;

/** The folders in a name stay, since they may name a rank; what climbs out of them, and what no eye sees, goes. */
export function sourceName(given: string): string {
  const parts = given
    .slice(-1000)
    .replaceAll("\\", "/")
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .split("/")
    .filter((part) => !/^(?:\s*|\.{1,2}|[A-Za-z]:)$/.test(part));
  const name = redact(parts.join("/")).text;
  if (name === "") return "file";
  return name.length > LONGEST ? `…${name.slice(1 - LONGEST)}` : name;
}

/** Two sources of one paste never have the same name: a second "rank0.log" is "rank0.log (2)". */
export function createNaming(): (given: string) => string {
  const taken = new Map<string, number>();
  return function named(given: string): string {
    const name = sourceName(given);
    const before = taken.get(name) ?? 0;
    taken.set(name, before + 1);
    return before === 0 ? name : named(`${name} (${before + 1})`);
  };
}
