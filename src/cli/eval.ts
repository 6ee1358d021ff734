// firstfault eval: scores labelled pastes, case by case, and holds the figures against floors.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { Catalog } from "../catalog.ts";
import { SHARES } from "../diagnose/shares.ts";
import { type Found, judge } from "../diagnose/verdict.ts";
import type { Verdict } from "../diagnose/verdict-type.ts";
import { blinded } from "./blinded.ts";
import { calibrate, type Trial } from "./calibration.ts";
import { readSources } from "./diagnose.ts";
import { table } from "./eval-table.ts";
import { recordFirstRuns } from "./first-run.ts";
import { type Io, UsageError } from "./io.ts";
import { findLabelled, type Labelled } from "./labels.ts";
import { FOLDS, readInFolds, reliabilityOf, wordsFigures } from "./reliability.ts";
import { type Figures, figuresOf, type Scored, scoreCase } from "./score.ts";
import { sharesFile } from "./shares-file.ts";
import { findSources } from "./sources.ts";
import { sentenceTrials, trialsOf } from "./trials.ts";

const OPTIONS = {
  json: { type: "boolean", default: false },
  min: { type: "string" },
  facts: { type: "boolean", default: false },
  fit: { type: "string" },
  "first-run": { type: "boolean", default: false },
} as const;

export async function evalCommand(args: string[], io: Io, catalog: () => Catalog): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [dir, ...more] = positionals;
  if (dir === undefined || more.length > 0)
    throw new UsageError("name one folder with labels.jsonl in it or below it.");
  const floors = values.min === undefined ? {} : await readFloors(values.min);
  const { rules } = catalog();
  const scored: Scored[] = [];
  const trials: Trial[] = [];
  for (const [index, labelled] of (await findLabelled(dir)).entries()) {
    const { verdict, unseen } = await verdictsOf(labelled, io, rules);
    scored.push(scoreCase(labelled, verdict));
    if (verdict) trials.push(...trialsOf(labelled, verdict, unseen, index % FOLDS));
  }
  const sentences = readInFolds(rules);
  trials.push(...sentenceTrials(sentences));
  const calibration = calibrate(trials, SHARES);
  const { figures, labels } = figuresOf(scored);
  const crashes = scored.filter((one) => one.verdict === null).length;
  const below = belowFloors(figures, floors);
  const report = {
    cases: scored.length,
    crashes,
    figures,
    labels,
    reliability: reliabilityOf(scored),
    calibration,
    words: wordsFigures(sentences),
    wrong: scored.filter((one) => !one.right).map(wrongCase),
  };
  io.out(values.json ? `${JSON.stringify(report, null, 2)}\n` : table({ ...report, scored, facts: values.facts }));
  if (values["first-run"]) await recordFirstRuns(scored);
  if (values.fit !== undefined) await writeFile(values.fit, sharesFile(calibration));
  for (const line of below) io.err(`below: ${line}\n`);
  return below.length > 0 ? 1 : 0;
}

interface Verdicts {
  verdict: Verdict | null;
  /** Without what decided it. */
  unseen: Verdict | undefined;
}

async function verdictsOf(labelled: Labelled, io: Io, rules: Catalog["rules"]): Promise<Verdicts> {
  const sources = await findSources([labelled.path], io);
  let unseen: Verdict | undefined;
  function by(found: Found): Verdict {
    const verdict = judge(found);
    const blind = blinded(found, verdict);
    unseen = blind && judge(blind);
    return verdict;
  }
  try {
    const { verdict } = await readSources(sources, { io, rules, by });
    return { verdict, unseen };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    io.err(`crash on ${labelled.path}: ${(error as Error).stack}\n`);
    return { verdict: null, unseen };
  }
}

async function readFloors(path: string): Promise<Record<string, number>> {
  try {
    const parsed: unknown = JSON.parse(await readFile(path, "utf8"));
    const floors = (parsed as { figures?: unknown }).figures ?? parsed;
    return Object.fromEntries(
      Object.entries(floors as object).filter((pair): pair is [string, number] => typeof pair[1] === "number"),
    );
  } catch (error) {
    throw new UsageError(`--min ${path} could not be read: ${(error as Error).message}`);
  }
}

/** A floor for every figure, but a ceiling for confidentWrong. */
function belowFloors(figures: Figures, floors: Record<string, number>): string[] {
  return Object.entries(floors).flatMap(([name, floor]) => {
    const value = figures[name as keyof Figures];
    if (value === undefined) return [];
    const bad = name === "confidentWrong" ? value > floor : value < floor;
    return bad ? [`${name} is ${value}, ${name === "confidentWrong" ? "at most" : "at least"} ${floor} was asked`] : [];
  });
}

function wrongCase(one: Scored): Record<string, unknown> {
  return {
    id: one.labelled.id,
    expected: one.labelled.primary,
    got: one.label,
    confidence: one.verdict?.confidence ?? null,
  };
}
