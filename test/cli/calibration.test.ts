// The arithmetic of confidence, on a few trials.
import { expect, it } from "vitest";
import { calibrate, type Trial } from "../../src/cli/calibration.ts";
import { SHARES } from "../../src/diagnose/shares.ts";

const trials = (count: number, some: Partial<Trial>): Trial[] =>
  Array.from({ length: count }, (_, index) => ({
    evidence: "wait",
    right: true,
    fold: index % 5,
    from: "case",
    ...some,
  }));
const shareOf = (all: Trial[], evidence: string): number | undefined =>
  calibrate(all, SHARES).kinds.find((kind) => kind.evidence === evidence)?.share;

it("gives a kind the share of its right verdicts, leaning on what was held before while it has few", () => {
  expect(
    shareOf([...trials(60, { from: "first-run" }), ...trials(40, { right: false, from: "first-run" })], "wait"),
  ).toBe(0.61);
  expect(shareOf(trials(2, { evidence: "cause", from: "first-run", right: false }), "cause")).toBe(0.6);
  expect(shareOf([], "two-causes")).toBe(0.5);
  expect(shareOf(trials(9_000, { from: "first-run" }), "wait")).toBe(0.99);
});

it("lets cases without what decided them count until mended cases are wrong as often as first runs were", () => {
  const firstRuns = [...trials(90, { from: "first-run" }), ...trials(10, { from: "first-run", right: false })];
  const mended = trials(100, { evidence: "curve" });
  const unseen = trials(50, { from: "unseen", right: false, evidence: "stopped" });

  const found = calibrate([...firstRuns, ...mended, ...unseen], SHARES);

  // (0 + 50 w) / (100 + 50 w) = 10 / 100
  expect(found.unseen).toBeCloseTo(10 / 45, 6);
});

it("judges each case by shares that it had no part in", () => {
  const alone = trials(1, { from: "first-run", evidence: "unread", right: false });
  const found = calibrate([...alone, ...trials(50, { from: "first-run" })], SHARES);
  const [bin] = found.bins;

  // What is held of "unread" before any case of it.
  expect(bin).toMatchObject({ cases: 1, said: 0.6, right: 0 });
  expect(found.firstRuns).toMatchObject({ confidentWrong: 0, rightAndConfident: 1 });
  expect(found.firstRuns?.brier).toBeCloseTo((0.36 + 50 * 0.02 ** 2) / 51, 2);
});

it("says nothing of first runs where none was recorded", () => {
  expect(calibrate(trials(5, {}), SHARES).firstRuns).toBeNull();
});
