// The trials that confidence is fitted on: each labelled case as it is and as if it were unseen, and each sentence of the
// playbooks read by what the others teach.
import { type Evidence, evidenceOfReport, evidenceOfTalk } from "../diagnose/evidence.ts";
import { isReport } from "../diagnose/no-root.ts";
import type { Verdict } from "../diagnose/verdict-type.ts";
import { isEvidence, type Trial } from "./calibration.ts";
import { type Labelled, labelIsRight } from "./labels.ts";
import type { ReadSentence } from "./reliability.ts";

/** `unseen`: the verdict without what decided the case; undefined where nothing can be taken away. */
export function trialsOf(labelled: Labelled, verdict: Verdict, unseen: Verdict | undefined, fold: number): Trial[] {
  const { firstRun } = labelled;
  const right = labelIsRight(labelled, verdict.label);
  const trials: Trial[] = [
    firstRun && isEvidence(firstRun.evidence)
      ? { evidence: firstRun.evidence, right: firstRun.right, fold, from: "first-run" }
      : { evidence: verdict.evidence, right, fold, from: isTold(verdict.evidence) ? "sentence" : "case" },
  ];
  if (right && unseen)
    trials.push({ evidence: unseen.evidence, right: labelIsRight(labelled, unseen.label), fold, from: "unseen" });
  return trials;
}

/** A mended case of people's words has taught those words, as a sentence has; nothing of it can be taken away. */
function isTold(evidence: Evidence): boolean {
  return evidence === "told-clearly" || evidence === "told" || evidence === "told-vaguely";
}

export function sentenceTrials(sentences: readonly ReadSentence[]): Trial[] {
  return sentences.map(({ words, label, fold }) => {
    const report = isReport(words);
    const evidence: Evidence = report ? evidenceOfReport(words) : evidenceOfTalk(words);
    return { evidence, right: label === (report ? words.label : "none"), fold, from: "sentence" };
  });
}
