// A paste as an entry keeps it, and a case as a paste opens it. Pure: the store comes later, or never.
import type { Verdict } from "../diagnose/verdict-type.ts";
import type { Language } from "../facts/language.ts";
import type { Playbook } from "../playbook/schema.ts";
import type { Entry, PasteEntry, Person } from "./entry.ts";
import { faultKey } from "./fault-key.ts";
import { type Output, readingsOf } from "./reading.ts";
import { receiptOf } from "./receipt.ts";
import { reachOf } from "./replay.ts";
import type { CaseRecord, Place } from "./store.ts";
import type { Playbooks } from "./walk.ts";

/** A paste as it comes in: read by `diagnose`, and with its texts where output readers can have them. */
export interface Given {
  sources: PasteEntry["sources"];
  verdict: Verdict;
  /** Redacted text of each source, for the output readers; null where it is too long for a tool's output. */
  texts: readonly (string | null)[];
  /** Where Slack has it. */
  message: string | null;
  /** The message that asked for it to be read, where that is another one. */
  asked?: string;
}

export interface Opening {
  place: Place;
  /** null where a person walks a playbook without a log. */
  given: Given | null;
  /** The playbook to walk; the verdict's own unless given. */
  playbook?: string;
  language: Language;
  by: Person;
}

export interface FreshDeps {
  playbooks: Playbooks;
  /** Version of the rules, for receipts. */
  rules: string;
  now(): Date;
  newId(): string;
  /** SHA-256 in hexadecimal. */
  hash(text: string): string;
}

type PasteDeps = Pick<FreshDeps, "hash">;

/** A case with its first entry, and the playbooks it may run through; null where there is nothing to walk. */
export function freshCase(opening: Opening, deps: FreshDeps): { record: CaseRecord; reach: Playbook[] } | null {
  const { place, given, by, language } = opening;
  const playbook = opening.playbook ?? given?.verdict.playbook;
  const reach = playbook ? reachOf(playbook, deps.playbooks) : [];
  if (reach.length === 0) return null;
  const at = deps.now().toISOString();
  const first: Entry = { ...pasteOf(given, [], deps), seq: 0, by, at };
  const inputs = first.sources.map(({ hash }) => hash);
  const record: CaseRecord = {
    id: deps.newId(),
    place,
    playbooks: reach.map(({ id, hash }) => ({ id, hash })),
    language,
    receipt: receiptOf({ inputs, rules: deps.rules, entries: [] }, deps.hash),
    fault: given && faultKey(given.verdict, deps.hash),
    entries: [first],
    openedAt: at,
    closedAt: null,
  };
  return { record, reach };
}

/** What is kept of a paste: what was found in it. `outputs` is what the output readers made of it; none for what opens a
 * case, which is read as a log and nothing else, so that a file and a message open alike. */
export function pasteOf(
  given: Given | null,
  outputs: readonly Output[],
  { hash }: PasteDeps,
): Omit<PasteEntry, "seq" | "by" | "at"> {
  if (!given) return NO_PASTE;
  const { facts: _, quotes, root, ...rest } = given.verdict;
  return {
    kind: "paste",
    sources: given.sources,
    ...readingsOf(given.verdict, outputs),
    lines: quotes.map((quote) => quote.at),
    quotes: quotes.length > 0 ? hash(JSON.stringify(quotes)) : null,
    verdict: { ...rest, root: root && withoutQuote(root) },
    message: given.message,
    ...(given.asked === undefined ? {} : { asked: given.asked }),
  };
}

/** A walk that begins without a log still has a first entry. */
const NO_PASTE = {
  kind: "paste" as const,
  sources: [],
  facts: {},
  lines: [],
  quotes: null,
  verdict: null,
  readings: [],
  message: null,
};

function withoutQuote({ quote: _, ...root }: NonNullable<Verdict["root"]>) {
  return root;
}
