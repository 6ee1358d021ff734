// The report of `eval` for people.
import type { Calibration } from "./calibration.ts";
import type { Bin, WordsFigures } from "./reliability.ts";
import type { Figures, LabelFigures, Scored } from "./score.ts";

export interface Report {
  scored: readonly Scored[];
  figures: Figures;
  labels: Record<string, LabelFigures>;
  crashes: number;
  reliability: readonly Bin[];
  calibration: Calibration;
  words: WordsFigures;
  facts: boolean;
}

export function table(report: Report): string {
  const { scored, figures, crashes, words } = report;
  const lines = [
    `${scored.length} cases, ${crashes} crashes`,
    "",
    ...Object.entries(figures).map(([name, value]) => `${name.padEnd(20)} ${value.toFixed(4)}`),
    "",
    ...labelLines(report.labels),
    "",
    ...binLines("confidence", report.reliability),
    "",
    ...calibrationLines(report.calibration),
    "",
    `words, five-fold over ${words.sentences} sentences: report or chatter ${words.report}, label of a report ${words.label}`,
    "",
    ...scored.flatMap((one) => wrongLines(one, report.facts)),
  ];
  return `${lines.join("\n")}\n`;
}

function labelLines(labels: Record<string, LabelFigures>): string[] {
  const rows = Object.entries(labels).map(([label, one]) => {
    const row = [
      String(one.cases).padStart(5),
      one.precision.toFixed(3).padStart(9),
      one.recall.toFixed(3).padStart(7),
      one.f1.toFixed(3),
    ];
    return `${label.padEnd(22)} ${row.join("  ")}`;
  });
  return [`${"label".padEnd(22)} cases  precision  recall  F1`, ...rows];
}

function binLines(title: string, bins: readonly Bin[]): string[] {
  const rows = bins.map(({ from, to, cases, said, right }) => {
    const row = [String(cases).padStart(5), said.toFixed(3).padStart(9), right.toFixed(3)];
    return `${`${from.toFixed(2)} to ${to.toFixed(2)}`.padEnd(22)} ${row.join("  ")}`;
  });
  return [`${title.padEnd(22)} cases       said  right`, ...rows];
}

function calibrationLines({ unseen, kept, outOfFold, firstRuns, bins, kinds }: Calibration): string[] {
  const figures = [
    ["Brier score", "brier"],
    ["log loss", "logLoss"],
    ["confident and wrong", "confidentWrong"],
    ["right and confident", "rightAndConfident"],
  ] as const;
  const columns = [kept, outOfFold, ...(firstRuns ? [firstRuns] : [])];
  const from = ["first-run", "case", "unseen", "sentence"] as const;
  return [
    `confidence: a case without what decided it counts ${unseen.toFixed(2)}`,
    `${"".padEnd(40)} as kept  five-fold${firstRuns ? "  on first runs" : ""}`,
    ...figures.map(([name, key]) =>
      [name.padEnd(40), ...columns.map((held) => held[key].toFixed(4).padEnd(9))].join(" ").trimEnd(),
    ),
    "",
    ...binLines("five-fold", bins),
    "",
    `right of all           first runs     mended     unseen  sentences  share  kept`,
    ...kinds.map(({ evidence, right, all, share, kept: now }) => {
      const counts = from.map((one) => (all[one] === 0 ? "" : `${right[one]} of ${all[one]}`).padStart(10));
      return `${evidence.padEnd(22)} ${counts.join(" ")}   ${share.toFixed(2)}  ${now.toFixed(2)}`;
    }),
  ];
}

function wrongLines(
  { labelled, verdict, label, right, rootRight, cascadeRight, facts }: Scored,
  all: boolean,
): string[] {
  const lines: string[] = [];
  if (!right)
    lines.push(
      `wrong label    ${labelled.id}: ${label} (${verdict?.confidence ?? "crash"}), expected ${labelled.primary}`,
    );
  else if (rootRight === false) {
    const expected = labelled.rootLines.map((root) => root.line).join(" or ");
    lines.push(
      `wrong line     ${labelled.id}: ${(verdict?.root ?? verdict?.said)?.at.line ?? "none"}, expected ${expected}`,
    );
  }
  if (right && cascadeRight === false) lines.push(`wrong cascade  ${labelled.id}`);
  if (!all) return lines;
  const wrong = facts.filter((fact) => !fact.right);
  return [
    ...lines,
    ...wrong.map(
      ({ name, got, expected }) =>
        `wrong fact     ${labelled.id}: ${name} ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`,
    ),
  ];
}
