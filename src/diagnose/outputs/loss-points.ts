// The logged steps of a training run, as each framework prints them: step, loss, gradient norm, loss scale, skipped steps.
import type { OutputText } from "./output-text.ts";

export type Framework = "megatron" | "deepspeed" | "hf" | "torchtitan" | "nemo" | "olmo" | "verl" | "composer" | "csv";

export interface LossPoint {
  line: number;
  step: number | null;
  /** NaN where it is NaN or Inf, or where Megatron leaves it out, which means the same. */
  loss: number;
  grad: number | null;
}

export interface LossPoints {
  framework: Framework;
  points: LossPoint[];
  /** Lines that tell of the run but hold no loss. */
  others: number[];
  scale: { value: number; line: number } | null;
  /** A counter's readings, or one for each step said to be skipped. */
  skipped: { total: number; line: number } | null;
  /** Where the text says that a run went on from a checkpoint: the index of the first point after it. */
  resumedAt: number[];
}

const N = "([-+]?(?:\\d{1,15}(?:\\.\\d{1,20})?(?:[eE][-+]?\\d{1,3})?|nan|inf|NaN|Inf|Infinity|NAN|INF))";
const value = (before: string): RegExp => new RegExp(`${before}\\s{0,12}["']?${N}(?![\\w.])`);

interface Format {
  framework: Framework;
  /** A line with a point, or the mark that opens one. */
  point: RegExp;
  step: readonly RegExp[];
  loss: RegExp;
  grad: RegExp;
  /** Values stand on the lines below the mark. */
  below?: true;
}

const FORMATS: readonly Format[] = [
  {
    framework: "nemo",
    point: /reduced_train_loss: /,
    step: [/global_step: (\d{1,9})/, /\biteration (\d{1,9})\//, /\bstep: (\d{1,9})/],
    loss: value("reduced_train_loss:"),
    grad: value("grad_norm:"),
  },
  {
    framework: "megatron",
    point: /\biteration\s{1,12}\d{1,9}\s{0,2}\/\s{0,12}\d{1,9} \|(?=.{0,2000}(?:lm loss:|loss scale:|grad norm:))/,
    step: [/\biteration\s{1,12}(\d{1,9})\s{0,2}\//],
    loss: value("lm loss:"),
    grad: value("grad norm:"),
  },
  {
    framework: "deepspeed",
    point: /\bsteps: \d{1,9} loss: /,
    step: [/\bsteps: (\d{1,9})/],
    loss: value("loss:"),
    grad: value("grad_norm:"),
  },
  {
    framework: "torchtitan",
    point: /\bstep:\s{1,4}\d{1,9}\s{1,4}loss:/,
    step: [/\bstep:\s{1,4}(\d{1,9})/],
    loss: value("loss:"),
    grad: value("grad_norm:"),
  },
  {
    framework: "hf",
    point: /\{.{0,400}['"](?:loss|train_loss)['"]: /,
    step: [/['"](?:global_)?step['"]: ['"]?(\d{1,9})/],
    loss: value("['\"]loss['\"]:"),
    grad: value("['\"]grad_norm['\"]:"),
  },
  {
    framework: "verl",
    point: /\bstep:\d{1,9} - .{0,4000}(?:actor\/|critic\/)/,
    step: [/\bstep:(\d{1,9})/],
    loss: value("(?:actor/pg_loss|actor/loss|actor/policy_loss|critic/vf_loss|train/loss):(?:np\\.float(?:32|64)\\()?"),
    grad: value("actor/grad_norm:(?:np\\.float(?:32|64)\\()?"),
  },
  {
    framework: "olmo",
    point: /\[step=\d{1,9}\/\d{1,9},/,
    step: [/\[step=(\d{1,9})\//],
    loss: value("train/(?:CrossEntropyLoss|CE loss)="),
    grad: value("optim/total[_ ]grad[_ ]norm="),
    below: true,
  },
  {
    framework: "composer",
    point: /\[batch=\d{1,9}\/\d{1,9}\]/,
    step: [/\[batch=(\d{1,9})\//],
    loss: value("loss/train/total:"),
    grad: value("(?:l2_norm/grad/global|grad_norm):"),
    below: true,
  },
];

const TQDM = /(?:^|[^\d/])(\d{1,9})\/\d{1,9} \[/g;
const DS_STEP = /\bstep=(\d{1,9}), skipped=(\d{1,9})\b/;
const OVERFLOW =
  /OVERFLOW!.{0,40}[Ss]kipping step\.?.{0,60}?(?:reducing to |loss scale:? ?)(?:\d[\d.e+]{0,20}, reducing to )?(\d[\d.e+]{0,20})/;
const OVERFLOWED = /OVERFLOW!/;
const SCALE = value("(?:loss scale:|loss_scale['\"]?[:=])");
const MEGATRON_SKIPPED = /number of skipped iterations:\s{0,4}(\d{1,9})/;
const RESUMED =
  /successfully loaded checkpoint from|[Rr]esum(?:ing|ed) (?:training )?from|loading (?:distributed )?checkpoint from|Continuing training from checkpoint/i;

/** The framework with most points; null where no framework has three. */
export function lossPointsOf(text: OutputText): LossPoints | null {
  const all = [...FORMATS.map((format) => pointsOf(text, format)), csvOf(text)].filter((one) => one.points.length >= 3);
  return all.sort((a, b) => b.points.length - a.points.length)[0] ?? null;
}

function pointsOf({ lines }: OutputText, format: Format): LossPoints {
  const found: LossPoints = {
    framework: format.framework,
    points: [],
    others: [],
    scale: null,
    skipped: null,
    resumedAt: [],
  };
  const counter: number[] = [];
  let counterLine = 0;
  let overflows = 0;
  let bar: number | null = null;
  let open: { line: number; step: number | null } | null = null;
  for (const { line, text } of lines) {
    const row = text.length > 6000 ? text.slice(0, 6000) : text;
    for (const [, n] of row.matchAll(TQDM)) bar = Number(n);
    const scale = OVERFLOW.exec(row)?.[1] ?? SCALE.exec(row)?.[1];
    if (scale !== undefined && Number.isFinite(Number(scale))) found.scale = { value: Number(scale), line };
    const step = DS_STEP.exec(row);
    const skip = step?.[2] ?? undefined;
    if (OVERFLOWED.test(row)) overflows += 1;
    if (skip !== undefined) counter.push(Number(skip));
    if (skip !== undefined || OVERFLOWED.test(row)) {
      counterLine = line;
      found.others.push(line);
    }
    if (RESUMED.test(row)) found.resumedAt.push(found.points.length);
    const isPoint = format.point.test(row);
    const at: number | null = isPoint ? (stepOf(row, format) ?? (format.framework === "hf" ? bar : null)) : null;
    if (isPoint && format.below) open = { line, step: at };
    if (format.below ? open === null : !isPoint) continue;
    const loss = numberOf(format.loss.exec(row)?.[1]);
    const grad = numberOf(format.grad.exec(row)?.[1]);
    const last = found.points.at(-1);
    if (format.below && loss === null && grad !== null && last && open?.step === last.step) last.grad ??= grad;
    if (loss !== null) {
      found.points.push({ line, step: open ? open.step : at, loss, grad });
      if (open && open.line !== line) found.others.push(open.line);
    } else if (format.framework === "megatron" && isWhole(row))
      found.points.push({ line, step: at, loss: Number.NaN, grad });
    const interval = format.framework === "megatron" ? MEGATRON_SKIPPED.exec(row)?.[1] : undefined;
    if (interval !== undefined) found.skipped = { total: (found.skipped?.total ?? 0) + Number(interval), line };
  }
  if (counter.length > 1) found.skipped = { total: (counter.at(-1) ?? 0) - (counter[0] ?? 0), line: counterLine };
  else if (!found.skipped && overflows > 0) found.skipped = { total: overflows, line: counterLine };
  return found;
}

/** A Megatron line that goes on to its end but names no loss: the mean over the interval was NaN. */
function isWhole(row: string): boolean {
  return /loss scale:/.test(row) && /\|\s*$/.test(row);
}

function stepOf(row: string, { step }: Format): number | null {
  for (const pattern of step) {
    const found = pattern.exec(row)?.[1];
    if (found !== undefined) return Number(found);
  }
  return null;
}

/** "nan" and "inf" are NaN here: neither is a loss. */
function numberOf(printed: string | undefined): number | null {
  if (printed === undefined) return null;
  const number = Number(printed);
  return Number.isFinite(number) ? number : Number.NaN;
}

/** A step column and a loss column, as experiment trackers export them. */
function csvOf({ lines }: OutputText): LossPoints {
  const found: LossPoints = { framework: "csv", points: [], others: [], scale: null, skipped: null, resumedAt: [] };
  let columns: { step: number; loss: number; grad: number; count: number } | null = null;
  for (const { line, text } of lines) {
    const cells = text.split(/[,;\t]|\s{4}/).map((cell) => cell.trim().replace(/^"|"$/g, ""));
    if (cells.length < 2) {
      columns = null;
      continue;
    }
    const row: { step: number; loss: number; grad: number; count: number } | null = columns;
    const step = row ? Number(cells[row.step]) : Number.NaN;
    if (row && cells.length >= row.count - 1 && Number.isFinite(step) && cells[row.step] !== "") {
      const loss = numberOf(cells[row.loss] || undefined);
      const grad = row.grad < 0 ? null : numberOf(cells[row.grad] || undefined);
      if (loss !== null) found.points.push({ line, step, loss, grad });
      continue;
    }
    columns = columnsOf(cells);
    if (columns) found.others.push(line);
  }
  return found;
}

function columnsOf(cells: readonly string[]) {
  if (cells.some((cell) => /^[-+]?\d/.test(cell))) return null;
  const step = cells.findIndex((cell) => /^(?:global[_ ]?)?(?:step|iter(?:ation)?|batch)s?$/i.test(cell));
  const named = cells.findIndex(
    (cell) => /loss/i.test(cell) && !/val|eval|test|aux|balanc|z_loss|__(?:MIN|MAX)$/i.test(cell),
  );
  const loss = named >= 0 ? named : cells.findIndex((cell) => /^value$/i.test(cell));
  if (step < 0 || loss < 0) return null;
  return {
    step,
    loss,
    grad: cells.findIndex((cell) => /grad.{0,12}norm/i.test(cell) && !/__(?:MIN|MAX)$/.test(cell)),
    count: cells.length,
  };
}
