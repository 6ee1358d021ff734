// A case as the fold reads it: its entries against the playbooks it runs against.
import type { Outcome, Playbook } from "../playbook/schema.ts";
import { parseHands } from "../playbook/walk.ts";
import type { CloseEntry, Entry, PasteEntry } from "./entry.ts";
import type { CaseRecord } from "./store.ts";
import { type Opening, type Playbooks, type Walk, type WalkEntry, walk } from "./walk.ts";

export function replay(record: CaseRecord, playbooks: Playbooks): Walk {
  return walk(openingOf(record, playbooks), record.entries.flatMap(toWalkEntry));
}

function openingOf(record: CaseRecord, playbooks: Playbooks): Opening {
  const playbook = record.playbooks[0]?.id ?? "";
  const first = openingPaste(record);
  // A walk may be asked for another playbook than the verdict names; then the verdict's kind says nothing about it.
  const subcause = first?.verdict?.playbook === playbook ? first.verdict.subcause : null;
  const root = first?.verdict?.root?.at;
  return { playbooks, playbook, subcause, lines: root ? [{ entry: 0, ...root }] : [] };
}

/** The playbooks that the case runs against: those it opened with, or those it took since. */
export function playbooksNow(record: CaseRecord): CaseRecord["playbooks"] {
  const adopted = record.entries.findLast((entry) => entry.kind === "adopt");
  return adopted?.kind === "adopt" ? adopted.playbooks : record.playbooks;
}

export function openingPaste(record: CaseRecord): PasteEntry | undefined {
  return record.entries.find((entry) => entry.kind === "paste");
}

/** The paste that tells what happened: the one that opened the case, unless it showed only victims and a later one the cause. */
export function tellingPaste(record: CaseRecord): PasteEntry | undefined {
  const first = openingPaste(record);
  if (first?.verdict?.root?.role !== "first-symptom") return first;
  const cause = record.entries.findLast((entry) => entry.kind === "paste" && showsCause(entry));
  return cause?.kind === "paste" ? cause : first;
}

function showsCause({ verdict }: PasteEntry): boolean {
  return verdict?.root?.role === "cause" && (verdict.status === "confirmed" || verdict.status === "supported");
}

function toWalkEntry(entry: Entry): WalkEntry[] {
  if (entry.kind === "paste") return [{ kind: "paste", entry: entry.seq, facts: entry.facts }];
  if (entry.kind === "answer") return [{ kind: "answer", entry: entry.seq, step: entry.step, choice: entry.choice }];
  if (entry.kind === "back") return [{ kind: "back", entry: entry.seq }];
  return [];
}

/** How the case ended: as someone closed it, else as the walk ended; null while it is open. */
export function outcomeOf(record: CaseRecord, walked: Walk): Outcome | null {
  return closedBy(record)?.outcome ?? walked.outcome;
}

export function closedBy(record: CaseRecord): CloseEntry | undefined {
  return record.entries.findLast((entry) => entry.kind === "close");
}

/** Number of the newest entry that moved the walk. */
export function lastMove(record: CaseRecord): number {
  const moving = record.entries.findLast(({ kind }) => !["note", "hand-over", "seen"].includes(kind));
  return moving?.seq ?? 0;
}

/** The readers that the step names. */
export function readsAt(at: string, playbooks: Playbooks): string[] {
  const { playbook, step } = parseHands(at);
  return playbooks.get(playbook)?.steps[step ?? ""]?.reads ?? [];
}

/** A playbook and all that it can hand a case to, itself first: what a case must keep to be replayed later. */
export function reachOf(id: string, playbooks: Playbooks): Playbook[] {
  const reached = new Map<string, Playbook>();
  const open = [id];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const playbook = playbooks.get(next);
    if (!playbook || reached.has(next)) continue;
    reached.set(next, playbook);
    for (const step of Object.values(playbook.steps)) if (step.hands) open.push(parseHands(step.hands).playbook);
  }
  return [...reached.values()];
}
