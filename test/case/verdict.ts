// A verdict with everything filled in, for tests that care about a few fields.
import type { Given } from "../../src/case/fresh.ts";
import type { Verdict } from "../../src/diagnose/verdict-type.ts";
import { facts } from "./playbooks.ts";

export function verdict(some: Partial<Verdict> = {}): Verdict {
  const at = { source: 0, line: 7 };
  return {
    label: "oom",
    status: "confirmed",
    confidence: 0.97,
    evidence: "cause",
    playbook: "oom",
    subcause: null,
    secondary: [],
    root: { at, rank: 37, host: "node-014", time: "04:01:09", utc: null, role: "cause", quote: "out of memory" },
    said: null,
    cascade: null,
    facts: facts({ rank: [37, 7], host: ["node-014", 7], memory_kind: ["gpu", 7] }),
    runner_up: null,
    quotes: [{ at, quote: "CUDA out of memory", rank: 37, host: null, time: null, role: "root", count: 1 }],
    would_tell: null,
    clock: null,
    language: null,
    input: { sources: ["paste"], lines: 20, bytes: 900, cut_lines: 0, ranks_seen: [], redacted: {} },
    ...some,
  };
}

export function given(some: Partial<Verdict> = {}, more: Partial<Given> = {}): Given {
  const sources = [{ name: "paste", lines: 20, bytes: 900, hash: JSON.stringify(some) }];
  return { sources, verdict: verdict(some), texts: ["the text"], message: null, ...more };
}
