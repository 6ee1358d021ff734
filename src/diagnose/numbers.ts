// Facts from the numbers of training where no curve was judged: an exception says that the loss is gone, a person that it
// jumped after a resume, and the lines before it say from where.
import type { Label } from "../facts/signature.ts";
import { isBefore } from "./clocks.ts";
import type { Found } from "./facts-of.ts";
import type { Finds } from "./finds.ts";
import type { Line } from "./lines.ts";
import type { Point } from "./series.ts";

/** So much above the median of what came before, a last value belongs to the fault. */
const JUMP = 1.5;

/** `from`: the first line that tells of the fault; undefined where only words do. */
export function putNumbers(found: Found, finds: Finds, label: Label, from: Line | undefined): void {
  const track = finds.series.tracks()[0];
  if (!track) return;
  if (label === "expert-imbalance") putBalance(found, track);
  const losses = track.filter((point) => point.loss !== null && Number.isFinite(point.loss));
  if (losses.length === 0) return;
  if (label === "checkpoint-mismatch" || label === "none") putResume(found, losses, finds);
  if (label === "loss-spike") putFault(found, losses, from);
}

function putFault(found: Found, losses: readonly Point[], from: Line | undefined): void {
  const before = from ? losses.filter((point) => isBefore(point.line, from)) : losses;
  const last = losses.at(-1);
  const jump = before.findIndex((point, at) => at > 0 && isJump(before.slice(Math.max(0, at - 50), at), point));
  const normal = jump > 0 ? before[jump - 1] : before.at(-1);
  if (jump > 0) {
    const after = before.slice(jump);
    const peak = after.reduce((a, b) => ((b.loss as number) > (a.loss as number) ? b : a));
    found.put("loss_peak", peak.loss as number, peak.line);
    const first = after[0];
    if (first?.step != null) found.put("step", first.step, first.line);
  }
  if (normal) {
    found.put("loss_before", normal.loss as number, normal.line);
    if (normal.grad !== null && Number.isFinite(normal.grad)) found.put("grad_norm_before", normal.grad, normal.line);
  }
  if (last) found.put("loss_last", last.loss as number, last.line);
}

function isJump(before: readonly Point[], point: Point): boolean {
  const sorted = before.map((one) => one.loss as number).sort((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] as number;
  return middle > 0 && (point.loss as number) > JUMP * middle;
}

/** A step that goes back, or a line that says so, begins what came after a resume. */
function putResume(found: Found, losses: readonly Point[], finds: Finds): void {
  const back = losses.findIndex((point, at) => {
    const earlier = losses[at - 1];
    return earlier?.step != null && point.step !== null && point.step < earlier.step;
  });
  const resume = finds.series.resumes.at(-1);
  const at = back > 0 ? back : resume ? losses.findIndex((point) => isBefore(resume, point.line)) : -1;
  const after = losses[at];
  if (!after) return;
  found.put("loss_after", after.loss as number, after.line);
  const before = losses[at - 1];
  if (before) found.put("loss_before", before.loss as number, before.line);
  if (after.step !== null && back > 0) found.put("step", after.step, after.line);
}

function putBalance(found: Found, track: readonly Point[]): void {
  const violations = track.filter((point) => point.maxVio !== null && Number.isFinite(point.maxVio));
  const first = violations[0];
  const last = violations.at(-1);
  if (first && last && violations.length > 1) {
    found.put("max_vio_first", first.maxVio as number, first.line);
    found.put("max_vio_last", last.maxVio as number, last.line);
  }
  const balance = track.findLast((point) => point.balance !== null && Number.isFinite(point.balance));
  if (balance) found.put("load_balancing_loss_last", balance.balance as number, balance.line);
}
