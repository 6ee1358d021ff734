// A running case keeps the playbooks it opened with. When newer ones are there, it offers them and says what they change
// from where the case stands.
import type { Language } from "../facts/language.ts";
import type { Playbook } from "../playbook/schema.ts";
import { parseHands } from "../playbook/walk.ts";
import { reachOf, replay } from "./replay.ts";
import type { CaseRecord } from "./store.ts";
import { type Playbooks, standsAt, type Walk } from "./walk.ts";

/** The answer that takes the newer playbooks; no choice of a step has a colon in it. */
export const ADOPT = "adopt:newer";

export interface Newer {
  /** All that the case may need from now on. */
  playbooks: Playbook[];
  id: string;
  from: number;
  to: number;
  /** Steps that can still come, by what the newer version makes of them. Ids without the playbook. */
  changed: string[];
  added: string[];
  dropped: string[];
  /** "oom#where": where the case would stand; what no longer fits is not counted. */
  standsAt: string;
}

/**
 * The newer playbooks of a case, or null. Newer is a higher `version` of the playbook that the case stands in: a person
 * raises it when the advice changes. `running` are the bodies the case runs against, `loaded` those that are loaded now.
 */
export function newerPlaybooks(
  record: CaseRecord,
  walked: Walk,
  { running, loaded, language }: { running: Playbooks; loaded: Playbooks; language: Language },
): Newer | null {
  if (walked.outcome !== null) return null;
  const { playbook: id, step } = parseHands(standsAt(walked).step);
  const [old, now] = [running.get(id), loaded.get(id)];
  if (!old || !now || now.version <= old.version) return null;
  const playbooks = reachOf(record.playbooks[0]?.id ?? id, loaded);
  const stands = standsAt(replay(record, new Map(playbooks.map((one) => [one.id, one])))).step;
  const there = parseHands(stands);
  const before = ahead(old, step ?? old.start);
  const after = there.playbook === id ? ahead(now, there.step ?? now.start) : new Set<string>();
  return {
    playbooks,
    id,
    from: old.version,
    to: now.version,
    changed: [...after].filter((name) => before.has(name) && differs(old, now, name, language)),
    added: [...after].filter((name) => !Object.hasOwn(old.steps, name)),
    dropped: [...before].filter((name) => !Object.hasOwn(now.steps, name)),
    standsAt: stands,
  };
}

/** The step and all that can come after it. */
function ahead(playbook: Playbook, from: string): Set<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const step = Object.hasOwn(playbook.steps, next) ? playbook.steps[next] : undefined;
    if (!step || seen.has(next)) continue;
    seen.add(next);
    open.push(...Object.values(step.choices ?? {}).map(({ to }) => to));
  }
  return seen;
}

/** In what a person reads or does, or in where the answers lead. */
function differs(old: Playbook, now: Playbook, name: string, language: Language): boolean {
  const told = ({ steps, texts }: Playbook): string => JSON.stringify([steps[name], texts[language].steps[name]]);
  return told(old) !== told(now);
}
