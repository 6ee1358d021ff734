// The first screen of a verdict, for whoever keeps no case. Apart from opening.ts, which needs no words.
import type { Language } from "../facts/language.ts";
import { wordsFor } from "../locale/words.ts";
import { headline } from "./headline.ts";
import { type OpeningOf, recordOf } from "./opening.ts";
import { receiptOf } from "./receipt.ts";
import { replay } from "./replay.ts";
import { notKnown, standing } from "./tell.ts";
import { toView } from "./view.ts";
import type { View } from "./view-type.ts";

/** The first screen, for whoever keeps no case. */
export function openingView(of: OpeningOf, language: Language): View {
  const fresh = recordOf(of, language);
  if (!fresh) return viewOfNothing(of, language);
  const quotes = new Map([[0, of.verdict.quotes]]);
  return toView({
    record: fresh.record,
    walked: replay(fresh.record, of.playbooks),
    playbooks: of.playbooks,
    quotes,
    language,
  });
}

function viewOfNothing({ verdict, inputs, rules, hash }: OpeningOf, language: Language): View {
  const words = wordsFor(language);
  const told = { verdict, facts: verdict.facts, texts: null, status: "stable" as const, words, language };
  return {
    case: "",
    seq: 0,
    language,
    label: verdict.label,
    receipt: receiptOf({ inputs, rules, entries: [] }, hash),
    headline: headline(told),
    story: [],
    notKnown: notKnown(told),
    standing: standing(told),
    settled: [],
    history: [],
    problems: [],
    step: null,
    ended: null,
    evidence: [],
    owner: null,
    again: null,
  };
}
