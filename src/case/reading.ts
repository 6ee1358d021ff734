// What a paste tells: the facts of every output reader that knew it, and of `diagnose` where it looks like a log.
import { redact } from "../diagnose/redact.ts";
import type { Verdict } from "../diagnose/verdict-type.ts";
import type { Fact, Facts } from "../facts/fact.ts";
import type { Reading } from "./entry.ts";

/** What one output reader made of a paste. */
export interface Output {
  reading: Reading;
  facts: Facts;
}

/** The facts of all readings together; where two give the same fact, the earlier reader wins, and `diagnose` comes last. */
export function readingsOf(verdict: Verdict, outputs: readonly Output[]): { facts: Facts; readings: Reading[] } {
  const readings = outputs.map((output) => output.reading);
  const log = readAsLog(verdict);
  if (log) readings.push(log);
  if (readings.length === 0) readings.push(UNRECOGNISED);
  return { facts: factsOf(verdict, outputs), readings };
}

/** A reader's facts over those of `diagnose`; secrets that a text fact may carry do not reach the store. */
export function factsOf(verdict: Verdict, outputs: readonly Output[]): Facts {
  const told = outputs.filter(({ reading }) => reading.status === "read" || reading.status === "partial").reverse();
  const all = Object.assign({}, verdict.facts, ...told.map((output) => output.facts)) as Facts;
  return Object.fromEntries(Object.entries(all).map(([name, fact]) => [name, kept(fact, verdict)]));
}

function kept(fact: Fact, verdict: Verdict): Fact {
  const at = verdict.root?.at ?? { source: 0, line: 1 };
  const lines = fact.lines.length > 0 ? fact.lines : [at];
  return { value: typeof fact.value === "string" ? redact(fact.value).text : fact.value, lines };
}

function readAsLog(verdict: Verdict): Reading | null {
  const found = Object.keys(verdict.facts).length;
  if (found === 0 && verdict.root === null) return null;
  const line = verdict.root?.at.line ?? Object.values(verdict.facts)[0]?.lines[0]?.line;
  const at = line === undefined ? { en: "", zh: "" } : { en: ` (line ${line})`, zh: `（第 ${line} 行）` };
  return {
    reader: "diagnose",
    status: "read",
    finding: {
      en: `Read as a log: ${verdict.label}${at.en}, ${found} ${found === 1 ? "fact" : "facts"}.`,
      zh: `按日志读：${verdict.label}${at.zh}，得到 ${found} 项事实。`,
    },
  };
}

const UNRECOGNISED: Reading = {
  reader: null,
  status: "unrecognised",
  finding: {
    en: "No reader knows this text, and nothing in it looks like the log of a failure.",
    zh: "没有读取器认得这段文字，其中也没有像故障日志的内容。",
  },
};
