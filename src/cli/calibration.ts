// Fits confidence: of each kind of evidence the share of right verdicts, and how well such shares hold on cases that they
// were not fitted on. Pure arithmetic, the same every time.
import type { Evidence } from "../diagnose/evidence.ts";
import { type Bin, binsOf, FOLDS } from "./reliability.ts";

/** One verdict on a case whose label is known. */
export interface Trial {
  evidence: Evidence;
  right: boolean;
  /** Trials of one case share a fold. */
  fold: number;
  /**
   * `first-run`: read when it was new. `case`: read after it was mended. `unseen`: read as if what decided it were not
   * known yet. `sentence`: one of those that teach the words, read by what the others teach.
   */
  from: "first-run" | "case" | "unseen" | "sentence";
}

type Shares = Record<Evidence, number>;

const CONFIDENT = 0.8;
/** The share of wrong labels on a first run, where no case tells it. */
const FIRST_RUN_WRONG = 0.1;
/** Nothing is certain. */
const SUREST = 0.99;
/** All sentences are of one hand, and people's are not. */
const SENTENCE = 0.1;
/** What is held of a kind before any case of it was seen, worth as much as so many cases. */
const PRIOR_CASES = 4;
const PRIOR: Shares = {
  cause: 0.9,
  curve: 0.8,
  "curve-and-failure": 0.7,
  "load-exception": 0.8,
  exception: 0.7,
  "exception-nearby": 0.5,
  wait: 0.8,
  "wait-for-someone": 0.8,
  "wait-and-doubts": 0.6,
  ending: 0.6,
  "bare-line": 0.5,
  signs: 0.6,
  "exception-unframed": 0.5,
  "two-in-order": 0.85,
  "two-causes": 0.5,
  "told-clearly": 0.8,
  told: 0.6,
  "told-vaguely": 0.5,
  failure: 0.5,
  "no-log": 0.8,
  "settings-and-words": 0.6,
  talk: 0.8,
  "talk-of-trouble": 0.5,
  "ended-well": 0.8,
  training: 0.8,
  moved: 0.5,
  stopped: 0.5,
  warnings: 0.5,
  unread: 0.6,
};

const EVIDENCE = Object.keys(PRIOR) as Evidence[];

export function isEvidence(name: string): name is Evidence {
  return Object.hasOwn(PRIOR, name);
}

/**
 * Cases that were mended are nearly all right, which says little about the next one. So much counts a case read as unseen
 * that both together have the share of wrong verdicts of the first runs.
 */
function weightOfUnseen(trials: readonly Trial[]): number {
  const of = (from: Trial["from"]): { all: number; wrong: number } => {
    const own = trials.filter((trial) => trial.from === from);
    return { all: own.length, wrong: own.filter((trial) => !trial.right).length };
  };
  const first = of("first-run");
  const share = first.all > 0 ? first.wrong / first.all : FIRST_RUN_WRONG;
  const mended = of("case");
  const unseen = of("unseen");
  const short = share * mended.all - mended.wrong;
  const each = unseen.wrong - share * unseen.all;
  return short <= 0 || each <= 0 ? 0 : Math.min(1, short / each);
}

function fit(trials: readonly Trial[], unseen: number): Shares {
  const shares = { ...PRIOR };
  for (const evidence of EVIDENCE) {
    let right = PRIOR[evidence] * PRIOR_CASES;
    let all = PRIOR_CASES;
    for (const trial of trials) {
      if (trial.evidence !== evidence) continue;
      const weight = weightOf(trial, unseen);
      all += weight;
      if (trial.right) right += weight;
    }
    shares[evidence] = Math.min(SUREST, Math.round((right / all) * 100) / 100);
  }
  return shares;
}

/** Each trial with the share that the other four fifths give its kind. */
function outOfFold(trials: readonly Trial[], unseen: number): Said[] {
  const shares = Array.from({ length: FOLDS }, (_, fold) =>
    fit(
      trials.filter((trial) => trial.fold !== fold),
      unseen,
    ),
  );
  return trials.map((trial) => ({ ...trial, said: shares[trial.fold]?.[trial.evidence] ?? 0 }));
}

interface Said extends Trial {
  said: number;
}

export interface Calibration {
  /** What a case read as unseen counts. */
  unseen: number;
  /** By the shares that the program gives now, and by shares of the other four fifths: on all, and on first runs. No sentences. */
  kept: Held;
  outOfFold: Held;
  /** null where no case tells its first run. */
  firstRuns: Held | null;
  bins: Bin[];
  kinds: KindFigures[];
}

export interface Held {
  brier: number;
  logLoss: number;
  confidentWrong: number;
  rightAndConfident: number;
}

export interface KindFigures {
  evidence: Evidence;
  /** Right ones of all, by where they are from. */
  right: Record<Trial["from"], number>;
  all: Record<Trial["from"], number>;
  /** Fitted over all trials, and what the program gives now. */
  share: number;
  kept: number;
}

export function calibrate(trials: readonly Trial[], now: Shares): Calibration {
  const unseen = weightOfUnseen(trials);
  const shares = fit(trials, unseen);
  const pastes = (said: readonly Said[]): Said[] => said.filter((one) => one.from !== "sentence");
  const folded = pastes(outOfFold(trials, unseen));
  const first = folded.filter((one) => one.from === "first-run");
  return {
    unseen,
    kept: held(pastes(trials.map((trial) => ({ ...trial, said: now[trial.evidence] }))), unseen),
    outOfFold: held(folded, unseen),
    firstRuns: first.length > 0 ? held(first, unseen) : null,
    bins: binsOf(folded.map((one) => ({ ...one, weight: weightOf(one, unseen) }))),
    kinds: EVIDENCE.map((evidence) => ({
      evidence,
      right: countsOf(trials.filter((trial) => trial.evidence === evidence && trial.right)),
      all: countsOf(trials.filter((trial) => trial.evidence === evidence)),
      share: shares[evidence],
      kept: now[evidence],
    })),
  };
}

function countsOf(trials: readonly Trial[]): Record<Trial["from"], number> {
  const counts = { "first-run": 0, case: 0, unseen: 0, sentence: 0 };
  for (const { from } of trials) counts[from] += 1;
  return counts;
}

function held(trials: readonly Said[], unseen: number): Held {
  const sums = { all: 0, right: 0, brier: 0, logLoss: 0, wrongly: 0, rightly: 0 };
  for (const trial of trials) {
    const weight = weightOf(trial, unseen);
    const { said, right } = trial;
    sums.all += weight;
    sums.brier += weight * (said - Number(right)) ** 2;
    sums.logLoss -= weight * Math.log(right ? said : 1 - said);
    if (right) sums.right += weight;
    if (said >= CONFIDENT && right) sums.rightly += weight;
    if (said >= CONFIDENT && !right) sums.wrongly += weight;
  }
  return {
    brier: ratio(sums.brier, sums.all),
    logLoss: ratio(sums.logLoss, sums.all),
    confidentWrong: ratio(sums.wrongly, sums.all),
    rightAndConfident: ratio(sums.rightly, sums.right),
  };
}

function weightOf({ from }: Trial, unseen: number): number {
  if (from === "sentence") return SENTENCE;
  return from === "unseen" ? unseen : 1;
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}
