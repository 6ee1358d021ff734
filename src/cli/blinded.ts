// A labelled case as it would be read if what decided it were not known yet: an unseen message form, for the calibration.
import type { Series } from "../diagnose/series.ts";
import type { Found } from "../diagnose/verdict.ts";
import type { Verdict } from "../diagnose/verdict-type.ts";

/** Undefined where no rule and no number decided: a person's words, a failure that nothing knows, quiet. */
export function blinded(found: Found, { label, root, status }: Verdict): Found | undefined {
  if (label === "none" || !root || status === "unknown") return undefined;
  const { finds } = found;
  const kept = finds.kept();
  const deciding = kept.filter(
    ({ rule, hits }) =>
      rule.label === label &&
      rule.role !== "context" &&
      rule.weight !== "against" &&
      hits.some(({ line }) => line.source === root.at.source && line.line === root.at.line),
  );
  if (deciding.length > 0) {
    const known = (): typeof kept => kept.filter((one) => !deciding.includes(one));
    return { ...found, finds: { ...finds, kept: known } };
  }
  const isRaised = finds.raised().some(({ line }) => line.source === root.at.source && line.line === root.at.line);
  if (isRaised) return undefined;
  return {
    ...found,
    finds: { ...finds, series: withoutNumbers(finds.series), experts: { ...finds.experts, judge: () => undefined } },
  };
}

/** Lines of training, and nothing in them to judge. */
function withoutNumbers(series: Series): Series {
  const nothing = {
    loss: null,
    lossMissing: false,
    grad: null,
    balance: null,
    maxVio: null,
    maxLoad: null,
    scale: null,
  };
  return { ...series, tracks: () => series.tracks().map((track) => track.map((point) => ({ ...point, ...nothing }))) };
}
