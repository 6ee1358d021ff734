// Reads the numbers of training lines, whatever framework printed them. Judged in curves.ts.
import type { Line } from "./lines.ts";

export interface Point {
  line: Line;
  step: number | null;
  /** NaN as printed; null where the line holds none. */
  loss: number | null;
  /** A Megatron line without its loss: the mean was NaN. */
  lossMissing: boolean;
  grad: number | null;
  /** load_balancing_loss and its other names. */
  balance: number | null;
  maxVio: number | null;
  /** The busiest expert's tokens over its fair share, where that is printed instead. */
  maxLoad: number | null;
  scale: number | null;
  /** Reinforcement learning: the loss swings around zero and says little. */
  policy: boolean;
}

export interface Series {
  /** True asks for the next line: a table goes on. */
  look(line: Line): boolean;
  /** Is the source's curve followed, or may it still be? */
  mayFollow(source: number): boolean;
  /** Is the source's curve followed, and is it this line's turn? */
  follows(source: number): boolean;
  /** One track per source and printing rank, the longest first: the same step printed by many ranks is one point of each. */
  tracks(): Point[][];
  /** Points seen. */
  count(): number;
  /** Where the text says that a run began again from a checkpoint. */
  resumes: Line[];
}

const MOST_TRACKS = 24;
/** A longer track is thinned where it is old: every second point of all but its newest ones goes. */
const LONGEST_TRACK = 6_000;
/** After so many points of one source only every second line is read, after twice as many every fourth, and so on. */
const DENSE = 50_000;
const NEWEST = 2_000;
/** A point keeps so much of its line, for the quote. */
const QUOTE = 240;
const NUMBER = "[-+]?(?:\\d{1,15}(?:\\.\\d{1,20})?(?:[eE][-+]?\\d{1,3})?|nan(?:\\.0)?|NaN|NAN|inf|Inf|INF)";
const LOSS = new RegExp(
  `(?:^|[\\s|,{('"\\[-])["']?((?:[A-Za-z_]{1,24}[ /_.]){0,3}[Ll]oss(?:/train/total|/avg)?|trl|CrossEntropyLoss|train/CE loss)["']?\\s{0,3}(?:[:=]\\s{0,12}|\\s)["']?(${NUMBER})(?![\\w.%/])`,
  "g",
);
const NOT_THE_LOSS =
  /val|eval|test|balanc|aux|z_loss|z loss|lb_|router|mtp|kl|entropy|critic|vf_|load|scale|seq_|indexer|reward|distill|best|last|loss_mask/i;
/** One term that is NaN makes the loss NaN; what is only measured does not. */
const NOT_TRAINED = /val|eval|test|scale|best|last|loss_mask/i;
const POLICY = /pg_loss|policy|actor|ppo|grpo/i;
const GRAD = new RegExp(
  `(?:grad(?:ient)?[ _.]{0,2}(?:l2_)?norm|gnorm|grad/norm/total|total_grad_norm|Grad\\. Norm|\\bnorm)["']?\\s{0,2}[:= ]\\s{0,12}["']?(${NUMBER})`,
);
const BALANCE = new RegExp(
  `(?:load_balancing_loss|load balancing loss|aux_loss|lb_loss|moe_aux_loss|router_aux_loss|balance_loss|l_aux)["']?\\s{0,2}[:= ]\\s{0,4}["']?(${NUMBER})`,
);
const MAX_VIO = new RegExp(`max[ _]?vio(?:lation)?(?:/mean)?["']?\\s{0,2}[:= ]\\s{0,4}(${NUMBER})`, "i");
const MAX_LOAD = new RegExp(
  `(?:moe|expert|router)[\\w/. -]{0,40}max(?:imum)?[_ ](?:util(?:ization)?|load(?:_ratio|_factor))(?:[_/](?:mean|max))?["']?\\s{0,2}[:= ]\\s{0,4}(${NUMBER})`,
  "i",
);
const SCALE = new RegExp(`loss[ _]scale["']?\\s{0,2}[:=]\\s{0,4}(${NUMBER})`);
const STEPS = [
  /\biteration\s{1,12}(\d{1,9})\s{0,2}\//,
  /global_step(?:\/max_steps)?["']?\s?[:=]\s?["']?(\d{1,9})/,
  /num_updates=(\d{1,9})/,
  /^s:(\d{1,9})\b/,
  /\bbatch[= ](\d{1,9})/,
  /\b[Ss]teps?["']?\s{0,2}[:= ]\s{0,6}\[?(\d{1,9})\b/,
  /\b[Ii]ter(?:ation)?s?["']?\s{0,2}[:= ]\s{0,6}\[?\s{0,6}(\d{1,9})\b/,
];
/** A part of a step; the step's own line follows. */
const MICRO = /\b[Mm]icro[- _]?(?:[Ss]tep|[Bb]atch)\b[: ]/;
const MARK = /(?:^|\sINFO\s{1,4})\[(?:batch|step)=(\d{1,9})\//;
const TRAINING = /\blr\b|learning.rate|grad|epoch|tokens|throughput|elapsed|tps|dt\b|time|it\/s|consumed/i;
const RESUME =
  /successfully loaded checkpoint|[Rr]esum(?:ing|ed|e_from)|Continuing training from|[Ll]oading (?:distributed )?checkpoint from|Finished loading the checkpoint|[Rr]estored (?:all )?states from|--- restart|从.{0,40}(?:恢复|续训|起来)|断点续训|after resume/;

interface Columns {
  step: number;
  loss: number;
  grad: number;
  source: number;
}

/** `told` hears of every step, and of every resume without one. */
export function createSeries(told: (line: Line, step: number | null) => void = () => {}): Series {
  const tracks = new Map<string, Point[]>();
  let seen = 0;
  const followed = new Map<number, { points: number; turn: number }>();
  const resumes: Line[] = [];
  let marked: { source: number; step: number } | null = null;
  let columns: Columns | null = null;

  function look(line: Line): boolean {
    const text = line.text.length > 4_000 ? line.text.slice(0, 4_000) : line.text;
    if (resumes.length < 1_000 && RESUME.test(text)) {
      resumes.push(short(line));
      told(line, null);
    }
    const mark = MARK.exec(text);
    if (mark) {
      marked = { source: line.source, step: Number(mark[1]) };
      return false;
    }
    if (columns) {
      const row = columns.source === line.source ? rowOf(line, text, columns) : undefined;
      if (row) keep(row);
      else columns = null;
      if (row) return true;
    }
    columns = columnsOf(line, text);
    if (columns) return true;
    const point = pointOf(line, text, marked?.source === line.source ? marked.step : null);
    if (point) keep(point);
    return false;
  }

  function keep(point: Point): void {
    seen += 1;
    if (point.step !== null) told(point.line, point.step);
    const own = followed.get(point.line.source);
    if (own) own.points += 1;
    else if (tracks.size < MOST_TRACKS) followed.set(point.line.source, { points: 1, turn: 0 });
    const key = `${point.line.source}/${point.line.rank ?? ""}`;
    const track = tracks.get(key);
    if (track) {
      track.push({ ...point, line: short(point.line) });
      if (track.length > LONGEST_TRACK) tracks.set(key, thinned(track));
    } else if (tracks.size < MOST_TRACKS) tracks.set(key, [{ ...point, line: short(point.line) }]);
  }

  /** Sources that have no track when all tracks are taken are not followed. */
  function mayFollow(source: number): boolean {
    return followed.has(source) || tracks.size < MOST_TRACKS;
  }

  function follows(source: number): boolean {
    const known = followed.get(source);
    if (!known) return mayFollow(source);
    const stride = 1 << Math.floor(known.points / DENSE);
    known.turn = (known.turn + 1) % stride;
    return known.turn === 0;
  }

  return {
    look,
    mayFollow,
    follows,
    tracks: () => [...tracks.values()].sort((a, b) => b.length - a.length),
    count: () => seen,
    resumes,
  };
}

/** A NaN is kept: it is what is looked for. */
function thinned(track: readonly Point[]): Point[] {
  const old = track.length - NEWEST;
  return track.filter(
    (point, index) => index >= old || index % 2 === 0 || Number.isNaN(point.loss) || point.lossMissing,
  );
}

function short(line: Line): Line {
  if (line.raw.length <= QUOTE) return line;
  const raw = Buffer.from(line.raw.slice(0, QUOTE)).toString();
  return { ...line, raw, text: raw };
}

function pointOf(line: Line, text: string, marked: number | null): Point | undefined {
  if (!/loss|Loss|trl:|grad|norm:|[Vv]io/.test(text) || MICRO.test(text)) return undefined;
  const found = lossOf(text);
  const grad = numberOf(GRAD.exec(text)?.[1]);
  const routes = /bal|aux|lb_|max/i.test(text);
  const balance = routes ? numberOf(BALANCE.exec(text)?.[1]) : null;
  const maxVio = routes ? numberOf(MAX_VIO.exec(text)?.[1]) : null;
  const maxLoad = routes ? numberOf(MAX_LOAD.exec(text)?.[1]) : null;
  if (!found && grad === null && balance === null && maxVio === null && maxLoad === null) return undefined;
  const step = stepOf(text) ?? (/^\s/.test(line.raw) ? marked : null);
  const lossMissing = !found && /\biteration\s+\d+\//.test(text) && /loss scale:/.test(text) && grad !== null;
  if (step === null && !TRAINING.test(text)) return undefined;
  return {
    line,
    step,
    loss: found?.value ?? null,
    lossMissing,
    grad,
    balance,
    maxVio,
    maxLoad,
    scale: numberOf(SCALE.exec(text)?.[1]),
    policy: found?.policy ?? POLICY.test(text),
  };
}

function lossOf(text: string): { value: number; policy: boolean } | undefined {
  LOSS.lastIndex = 0;
  for (let match = LOSS.exec(text); match; match = LOSS.exec(text)) {
    const key = match[1] ?? "";
    const value = numberOf(match[2]);
    const passed = value !== null && Number.isNaN(value) ? NOT_TRAINED : NOT_THE_LOSS;
    if (value !== null && !passed.test(key)) return { value, policy: POLICY.test(key) };
  }
  return undefined;
}

function stepOf(text: string): number | null {
  for (const pattern of STEPS) {
    const match = pattern.exec(text);
    if (match) return Number(match[1]);
  }
  return null;
}

/** "nan" and "inf" are NaN here: neither is a loss. */
function numberOf(printed: string | undefined): number | null {
  if (printed === undefined) return null;
  const value = Number(printed);
  return Number.isFinite(value) ? value : Number.NaN;
}

function columnsOf(line: Line, text: string): Columns | null {
  // "iter 312 step 39: loss 1.7940, iter time: 2230 ms" has commas, too.
  if (!/[,\t]/.test(text) || /[:=] ?[-.\d]|\s\d/.test(text)) return null;
  const cells = cellsOf(text);
  if (cells.some((cell) => /^[-+.\d]|[:=] ?[-.\d]|\s\d/.test(cell))) return null;
  const step = cells.findIndex((cell) => /step|iter|batch/i.test(cell));
  const loss = cells.findIndex(
    (cell) => /loss/i.test(cell) && !NOT_THE_LOSS.test(cell) && !/__(?:MIN|MAX)$/.test(cell),
  );
  const value = cells.findIndex((cell) => /^value$/i.test(cell));
  if (step < 0 || (loss < 0 && value < 0)) return null;
  return {
    step,
    loss: loss < 0 ? value : loss,
    grad: cells.findIndex((cell) => /grad/i.test(cell)),
    source: line.source,
  };
}

function rowOf(line: Line, text: string, columns: Columns): Point | undefined {
  const cells = cellsOf(text);
  const step = Number(cells[columns.step]);
  const printed = cells[columns.loss];
  if (cells.length <= columns.loss || !Number.isFinite(step) || printed === undefined || printed === "")
    return undefined;
  const loss = Number(printed);
  if (Number.isNaN(loss) && !/^nan$/i.test(printed)) return undefined;
  const grad = columns.grad < 0 ? null : numberOf(cells[columns.grad]);
  return {
    line,
    step,
    loss,
    lossMissing: false,
    grad,
    balance: null,
    maxVio: null,
    maxLoad: null,
    scale: null,
    policy: false,
  };
}

function cellsOf(text: string): string[] {
  const comma = text.split(",");
  const cells = comma.length > 1 ? comma : text.split("\t");
  return cells.map((cell) => cell.trim().replace(/^"|"$/g, ""));
}
