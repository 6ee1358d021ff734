// A token that a terminal broke at its width: it ends one line, and its rest begins the next. Only where its length is
// fixed is the rest known for certain.
import type { Count } from "./redact.ts";

/** Tokens whose length is fixed: `start` and as many of `part` that all of it is `length` characters long. */
const FIXED = [
  { kind: "huggingface-token", holds: ["hf_"], start: "hf_", part: "[A-Za-z0-9]", length: 37 },
  { kind: "github-token", holds: ["ghp_", "gho_", "ghs_"], start: "gh[pos]_", part: "[A-Za-z0-9]", length: 40 },
  { kind: "github-token", holds: ["github_pat_"], start: "github_pat_", part: "[A-Za-z0-9_]", length: 93 },
  { kind: "gitlab-token", holds: ["glpat-"], start: "glpat-", part: "[A-Za-z0-9_-]", length: 26 },
  { kind: "aws-key-id", holds: ["AKIA", "ASIA"], start: "A[KS]IA", part: "[A-Z0-9]", length: 20 },
  { kind: "google-key", holds: ["AIza"], start: "AIza", part: "[0-9A-Za-z_-]", length: 39 },
  { kind: "npm-token", holds: ["npm_"], start: "npm_", part: "[A-Za-z0-9]", length: 40 },
  { kind: "anthropic-key", holds: ["sk-ant-api03-"], start: "sk-ant-api03-", part: "[A-Za-z0-9_-]", length: 108 },
] as const;

export interface Mender {
  rest(line: string): string;
  cut(line: string, redacted: string): string;
  readonly open: boolean;
}

/** Lines in order, each first for the rest of what the line before it broke, then for what it breaks itself. */
export function createMender(count: Count): Mender {
  let broken: { kind: string; rest: RegExp } | null = null;
  return {
    rest(line) {
      return broken ? line.replace(broken.rest, `<redacted:${broken.kind}>`) : line;
    },
    cut(line, redacted) {
      const end = line.slice(-110);
      broken = null;
      for (const { kind, holds, start, part, length } of FIXED) {
        if (!holds.some((literal) => end.includes(literal))) continue;
        const token = new RegExp(`(?:^|[^A-Za-z0-9_-])(${start}${part}*)\\r?$`).exec(end)?.[1];
        if (token === undefined || token.length >= length) continue;
        broken = { kind, rest: new RegExp(`^${part}{${length - token.length}}(?!${part})`) };
        const told = token.length >= 12 && /\d/.test(token) && /[A-Z]/.test(token);
        if (told && redacted.trimEnd().endsWith(token)) {
          const at = redacted.lastIndexOf(token);
          return redacted.slice(0, at) + count(kind) + redacted.slice(at + token.length);
        }
      }
      return redacted;
    },
    get open() {
      return broken !== null;
    },
  };
}
