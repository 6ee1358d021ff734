// firstfault eval: scores labelled pastes, case by case, and holds the figures against floors.
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { Catalog } from "../catalog.ts";
import type { Verdict } from "../diagnose/verdict-type.ts";
import { readSources } from "./diagnose.ts";
import { type Io, UsageError } from "./io.ts";
import { findLabelled, type Labelled } from "./labels.ts";
import { type Bin, crossValidateWords, reliabilityOf, type WordsFigures } from "./reliability.ts";
import { type Figures, figuresOf, type LabelFigures, type Scored, scoreCase } from "./score.ts";
import { findSources } from "./sources.ts";

const OPTIONS = {
  json: { type: "boolean", default: false },
  min: { type: "string" },
  facts: { type: "boolean", default: false },
} as const;

export async function evalCommand(args: string[], io: Io, catalog: () => Catalog): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [dir, ...more] = positionals;
  if (dir === undefined || more.length > 0)
    throw new UsageError("name one folder with labels.jsonl in it or below it.");
  const floors = values.min === undefined ? {} : await readFloors(values.min);
  const { rules } = catalog();
  const scored: Scored[] = [];
  for (const labelled of await findLabelled(dir))
    scored.push(scoreCase(labelled, await verdictOf(labelled, io, rules)));
  const { figures, labels } = figuresOf(scored);
  const crashes = scored.filter((one) => one.verdict === null).length;
  const below = belowFloors(figures, floors);
  const report = {
    cases: scored.length,
    crashes,
    figures,
    labels,
    reliability: reliabilityOf(scored),
    words: crossValidateWords(rules),
    wrong: scored.filter((one) => !one.right).map(wrongCase),
  };
  io.out(values.json ? `${JSON.stringify(report, null, 2)}\n` : table({ ...report, scored, facts: values.facts }));
  for (const line of below) io.err(`below: ${line}\n`);
  return below.length > 0 ? 1 : 0;
}

async function verdictOf(labelled: Labelled, io: Io, rules: Catalog["rules"]): Promise<Verdict | null> {
  const sources = await findSources([labelled.path], io);
  try {
    return (await readSources(sources, { io, rules })).verdict;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    io.err(`crash on ${labelled.path}: ${(error as Error).stack}\n`);
    return null;
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

interface Report {
  scored: readonly Scored[];
  figures: Figures;
  labels: Record<string, LabelFigures>;
  crashes: number;
  reliability: readonly Bin[];
  words: WordsFigures;
  facts: boolean;
}

function table({ scored, figures, labels, crashes, reliability, words, facts }: Report): string {
  const lines = [`${scored.length} cases, ${crashes} crashes`, ""];
  for (const [name, value] of Object.entries(figures)) lines.push(`${name.padEnd(20)} ${value.toFixed(4)}`);
  lines.push("", `${"label".padEnd(22)} cases  precision  recall  F1`);
  for (const [label, one] of Object.entries(labels)) {
    const row = [
      String(one.cases).padStart(5),
      one.precision.toFixed(3).padStart(9),
      one.recall.toFixed(3).padStart(7),
      one.f1.toFixed(3),
    ];
    lines.push(`${label.padEnd(22)} ${row.join("  ")}`);
  }
  lines.push("", `${"confidence".padEnd(22)} cases       said  right`);
  for (const { from, to, cases, said, right } of reliability) {
    const row = [String(cases).padStart(5), said.toFixed(3).padStart(9), right.toFixed(3)];
    lines.push(`${`${from.toFixed(2)} to ${to.toFixed(2)}`.padEnd(22)} ${row.join("  ")}`);
  }
  const { sentences, report, label } = words;
  lines.push(
    "",
    `words, five-fold over ${sentences} sentences: report or chatter ${report}, label of a report ${label}`,
    "",
  );
  for (const one of scored) {
    const { labelled, verdict } = one;
    if (!one.right)
      lines.push(
        `wrong label    ${labelled.id}: ${one.label} (${verdict?.confidence ?? "crash"}), expected ${labelled.primary}`,
      );
    else if (one.rootRight === false) {
      const expected = labelled.rootLines.map((root) => root.line).join(" or ");
      lines.push(`wrong line     ${labelled.id}: ${verdict?.root?.at.line ?? "none"}, expected ${expected}`);
    }
    if (one.right && one.cascadeRight === false) lines.push(`wrong cascade  ${labelled.id}`);
    if (!facts) continue;
    for (const fact of one.facts) {
      if (!fact.right)
        lines.push(
          `wrong fact     ${labelled.id}: ${fact.name} ${JSON.stringify(fact.got)}, expected ${JSON.stringify(fact.expected)}`,
        );
    }
  }
  return `${lines.join("\n")}\n`;
}
