// A walk without a person: entries from a file, one after the other, as they would come in.
import { readFile } from "node:fs/promises";
import type { Person } from "../case/entry.ts";
import { type FreshDeps, type Given, pasteOf } from "../case/fresh.ts";
import { readPasted } from "../case/pasted-output.ts";
import { readsAt, replay } from "../case/replay.ts";
import type { CaseRecord } from "../case/store.ts";
import { type Playbooks, standsAt } from "../case/walk.ts";
import { UsageError } from "./io.ts";

export type ScriptLine = { paste: string } | { answer: string } | { back: true };

/** A script stops at the first answer that does not fit. */
export type Walked = { ok: true; record: CaseRecord } | { ok: false; say: string };

export async function readScript(file: string): Promise<ScriptLine[]> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(`the script cannot be read: ${error.message}`);
  });
  return text.split(/\r?\n/).flatMap((line, index) => (line.trim() === "" ? [] : [parseLine(line, file, index + 1)]));
}

function parseLine(line: string, file: string, number: number): ScriptLine {
  const parsed = parseJson(line);
  if (parsed !== null && typeof parsed === "object" && Object.keys(parsed).length === 1) {
    const one = parsed as Record<string, unknown>;
    if (typeof one.paste === "string") return { paste: one.paste };
    if (typeof one.answer === "string") return { answer: one.answer };
    if (one.back === true) return { back: true };
  }
  throw new UsageError(
    `${file}: line ${number} is not an entry; an entry is {"paste":"text"}, {"answer":"choice"} or {"back":true}`,
  );
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export interface Script {
  /** The case as FILE opened it. */
  record: CaseRecord;
  lines: readonly ScriptLine[];
  playbooks: Playbooks;
  read(text: string): Given;
  deps: FreshDeps;
}

const NOBODY: Person = { id: "script" };

export function runScript({ record, lines, playbooks, read, deps }: Script): Walked {
  for (const [index, line] of lines.entries()) {
    const happened = { seq: index + 1, by: NOBODY, at: record.openedAt };
    const { step, choices } = standsAt(replay(record, playbooks));
    if ("answer" in line && !choices.includes(line.answer)) {
      const all = choices.length > 0 ? choices.join(", ") : "none";
      return { ok: false, say: `answer "${line.answer}" is not a choice of ${step}; choices: ${all}` };
    }
    if ("back" in line) record.entries.push({ ...happened, kind: "back" });
    else if ("answer" in line) record.entries.push({ ...happened, kind: "answer", step, choice: line.answer });
    else {
      const given = read(line.paste);
      record.entries.push({ ...happened, ...pasteOf(given, readPasted(given.texts, readsAt(step, playbooks)), deps) });
    }
  }
  return { ok: true, record };
}
