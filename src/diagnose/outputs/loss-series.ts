// The last few hundred logged steps of a run, from any framework or a CSV export: the shape of the loss, and the steps' pace.
//    iteration    18500/  120000 | … | lm loss: 3.825091E+00 | loss scale: 1.0 | grad norm: 11.830 |
//   {'loss': 0.0, 'grad_norm': nan, 'learning_rate': 1.9972e-05, 'epoch': 0.28}
import { type LossPoint, type LossPoints, lossPointsOf } from "./loss-points.ts";
import { type Shaped, shapeOf } from "./loss-shape.ts";
import type { OutputReader, Said, ToolReading } from "./output-reader.ts";
import type { OutputText } from "./output-text.ts";
import { createFacts, digits, type FactsBuilder, median, said } from "./said.ts";
import { type StepTimes, stepTimesOf } from "./step-times.ts";

/** A gradient norm that stands out: so many times the middle of what came before. */
const GRAD_FACTOR = 3;
/** A pace that changed by more than this is worth a word. */
const SLOWER = 1.1;

export const lossSeries: OutputReader = {
  id: "loss-series",
  command: "grep -E 'iteration|loss' train.log | tail -250",
  owns: () => false,
  knows: (text) => {
    const found = lossPointsOf(text);
    return found ? [...found.points.map(({ line }) => line), ...found.others] : [];
  },
  read,
};

function read(text: OutputText): ToolReading {
  const found = lossPointsOf(text);
  if (!found) throw new Error("loss-series reads only what it knows");
  const { points, framework } = found;
  const at = (index: number | null): LossPoint | undefined => (index === null ? undefined : points[index]);
  const shaped = shapeOf(points.map(lossOf), restartsOf(found));
  const facts = createFacts();
  const first = points[0];
  const last = points.at(-1);
  const put = (
    name: string,
    value: number | string | boolean | null | undefined,
    ...from: (LossPoint | undefined)[]
  ): void =>
    facts.add(
      name,
      value,
      from.flatMap((point) => point?.line ?? []),
    );
  put("framework", framework, first);
  put("loss_points", points.length, first, last);
  put("step_first", first?.step, first);
  put("step_last", last?.step, last);
  put("loss_base", shaped.base, first, at(shaped.first) ?? last);
  const finite = points.filter(({ loss }) => Number.isFinite(loss));
  const peak =
    at(shaped.peak) ??
    (shaped.shape === "nan"
      ? undefined
      : finite.reduce<LossPoint | undefined>((a, b) => (a && a.loss >= b.loss ? a : b), undefined));
  put("loss_peak", peak?.loss, peak);
  const end = points.findLast((point) => Number.isFinite(lossOf(point)));
  put("loss_last", end?.loss, end);
  put("loss_settled", shaped.settled, last);
  if (shaped.shape.startsWith("spike") || shaped.shape === "diverging")
    put("spike_step", at(shaped.peak)?.step, at(shaped.peak));
  if (shaped.shape === "nan") put("nan_step", at(shaped.first)?.step, at(shaped.first));
  put("loss_shape", shaped.shape, at(shaped.first) ?? first, at(shaped.peak) ?? last);
  const resumed = at(shaped.resume);
  put("resume_step", resumed?.step, resumed);
  putGradients(facts, points, shaped);
  if (found.skipped) facts.add("skipped_steps", found.skipped.total, [found.skipped.line]);
  if (found.scale) facts.add("loss_scale", found.scale.value, [found.scale.line]);
  const pace = stepTimesOf(
    text,
    points.map(({ line }) => line),
  );
  if (pace) putPace(facts, pace);
  const finding = say(found, shaped, pace);
  if (shaped.shape !== "too-short") return { status: "read", finding, facts: facts.facts };
  const problems = [
    { line: last?.line ?? 1, say: `${points.length} points are too few; paste 200 logged steps before and 50 after` },
  ];
  return { status: "partial", finding, facts: facts.facts, problems };
}

/** HF prints 0.0 for a loss that was NaN; the gradient norm then says so. */
function lossOf({ loss, grad }: LossPoint): number {
  return grad !== null && !Number.isFinite(grad) ? Number.NaN : loss;
}

/** A step that goes back begins another run of the same job; so does a line that says so. */
function restartsOf({ points, resumedAt }: LossPoints): number[] {
  const back = points.flatMap(({ step }, at) => {
    const before = points[at - 1]?.step ?? null;
    return step !== null && before !== null && step <= before ? [at] : [];
  });
  return [...new Set([...back, ...resumedAt])].filter((at) => at > 0).sort((a, b) => a - b);
}

function putGradients(facts: FactsBuilder, points: readonly LossPoint[], { first, shape }: Shaped): void {
  const withGrad = points.flatMap(({ grad, line }, at) =>
    grad !== null && Number.isFinite(grad) ? [{ grad, line, at }] : [],
  );
  const before = first === null ? withGrad : withGrad.filter(({ at }) => at < first);
  const lastBefore = before.at(-1);
  if (first !== null) facts.add("grad_norm_before", lastBefore?.grad, lastBefore ? [lastBefore.line] : []);
  const peak = [...withGrad].sort((a, b) => b.grad - a.grad)[0];
  facts.add("grad_norm_peak", peak?.grad, peak ? [peak.line] : []);
  if (first === null || before.length < 3 || shape === "jump") return;
  const rose = before.find(({ grad, at }) => {
    const earlier = before.filter((one) => one.at < at).map((one) => one.grad);
    return earlier.length >= 3 && grad > GRAD_FACTOR * median(earlier);
  });
  facts.add("grad_norm_rose_first", rose !== undefined, rose ? [rose.line] : lastBefore ? [lastBefore.line] : []);
}

function putPace(facts: FactsBuilder, pace: StepTimes): void {
  const lines = [pace.first, pace.last];
  facts.add("step_time_base_s", pace.baseS, lines);
  facts.add("step_time_last_s", pace.lastS, lines);
  facts.add("slowdown", pace.slowdown, lines);
  facts.add("slow_steps_pct", pace.slowPct, lines);
  facts.add("tflops_gpu", pace.tflops, [pace.last]);
  facts.add("mfu_pct", pace.mfuPct, [pace.last]);
}

/** Only what a person would want to be told: steps that got slower, or that stall. */
function sayPace(pace: StepTimes | null): Said {
  if (!pace) return { en: "", zh: "" };
  const times = pace.slowdown >= SLOWER ? digits(pace.slowdown) : null;
  const stalls = pace.slowPct >= 5 ? digits(pace.slowPct) : null;
  return {
    en: `${times ? `; steps take ${times} x the time of the first ones` : ""}${stalls ? `; ${stalls} % of them stall` : ""}`,
    zh: `${times ? `；单步耗时是开头的 ${times} 倍` : ""}${stalls ? `；${stalls}% 的步卡顿` : ""}`,
  };
}

function say(found: LossPoints, shaped: Shaped, pace: StepTimes | null): Said {
  const { points } = found;
  const at = (index: number | null): LossPoint | undefined => (index === null ? undefined : points[index]);
  const [first, last] = [points[0], points.at(-1)];
  const range = {
    en: `steps ${first?.step ?? "?"} to ${last?.step ?? "?"}`,
    zh: `第 ${first?.step ?? "?"} 到 ${last?.step ?? "?"} 步`,
  };
  const base = shaped.base === null ? "?" : digits(shaped.base);
  const peak = at(shaped.peak);
  const skipped = found.skipped && found.skipped.total > 0 ? found.skipped : null;
  const scale =
    skipped && found.scale
      ? {
          en: `; ${skipped.total} steps skipped, loss scale ${found.scale.value} at the end`,
          zh: `；跳过 ${skipped.total} 步，最后 loss scale 为 ${found.scale.value}`,
        }
      : skipped
        ? { en: `; ${skipped.total} steps skipped`, zh: `；跳过 ${skipped.total} 步` }
        : { en: "", zh: "" };
  const settled = shaped.settled === null ? null : digits(shaped.settled);
  const abnormal = at(shaped.first);
  switch (shaped.shape) {
    case "too-short":
      return said(
        `Only ${points.length} points (${range.en}): too few to tell a spike from noise${scale.en}.`,
        `只有 ${points.length} 个点（${range.zh}），看不出是尖峰还是噪声${scale.zh}。`,
      );
    case "nan":
      return said(
        `Loss or gradient norm is NaN or Inf from step ${abnormal?.step ?? "?"} on; before that the loss was ${base}${scale.en}.`,
        `从第 ${abnormal?.step ?? "?"} 步起 loss 或梯度范数为 NaN/Inf，之前 loss 为 ${base}${scale.zh}。`,
      );
    case "jump":
      return said(
        `Loss steps from ${base} to ${settled ?? "?"} where the run began again, at step ${abnormal?.step ?? "?"}${scale.en}.`,
        `重启处（第 ${abnormal?.step ?? "?"} 步）loss 从 ${base} 跳到 ${settled ?? "?"}${scale.zh}。`,
      );
    case "healthy":
      return said(
        `No spike and no NaN in ${points.length} points, ${range.en}; loss ${digits(first?.loss ?? Number.NaN)} to ${digits(last?.loss ?? Number.NaN)}${scale.en}${sayPace(pace).en}.`,
        `${points.length} 个点（${range.zh}）没有尖峰和 NaN，loss 从 ${digits(first?.loss ?? Number.NaN)} 到 ${digits(last?.loss ?? Number.NaN)}${scale.zh}${sayPace(pace).zh}。`,
      );
    case "spike-recovered":
      return said(
        `Loss rose from ${base} to ${digits(peak?.loss ?? Number.NaN)} at step ${peak?.step ?? "?"} and was back at ${settled} by step ${last?.step ?? "?"}${scale.en}.`,
        `第 ${peak?.step ?? "?"} 步 loss 从 ${base} 升到 ${digits(peak?.loss ?? Number.NaN)}，到第 ${last?.step ?? "?"} 步回到 ${settled}${scale.zh}。`,
      );
    case "diverging":
      return said(
        `Loss climbs from ${base} (step ${abnormal?.step ?? "?"}) to ${digits(peak?.loss ?? Number.NaN)} at step ${peak?.step ?? "?"} and is still rising${scale.en}.`,
        `loss 从第 ${abnormal?.step ?? "?"} 步的 ${base} 一路升到第 ${peak?.step ?? "?"} 步的 ${digits(peak?.loss ?? Number.NaN)}，仍在上升${scale.zh}。`,
      );
    case "spike-open":
      return said(
        `Loss rose from ${base} to ${digits(peak?.loss ?? Number.NaN)} at step ${peak?.step ?? "?"} and stands at ${digits(last?.loss ?? Number.NaN)} at the end${scale.en}.`,
        `第 ${peak?.step ?? "?"} 步 loss 从 ${base} 升到 ${digits(peak?.loss ?? Number.NaN)}，末尾仍为 ${digits(last?.loss ?? Number.NaN)}${scale.zh}。`,
      );
  }
}
