// Clusters of up to 2,048 ranks, a dozen seeds of its own for each kind of fault. Prints how many are right.
import { expect, it } from "vitest";
import { FAULT_NAMES } from "../../bench/faults.ts";
import { type Score, scenarioOf, score, textsOf } from "../../bench/scenarios.ts";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { rules } from "../diagnose/rules.ts";

const SEEDS = 12;
const SIZES = [8, 16, 32, 64, 64, 128, 256, 512, 2_048];

it("names the rank that failed first, and is never sure of what is not so", () => {
  const scores: Score[] = [];
  for (const [kind, fault] of FAULT_NAMES.entries()) {
    const own: Score[] = [];
    for (let seed = kind * SEEDS + 1; seed <= (kind + 1) * SEEDS; seed += 1) {
      const { sources, truth } = textsOf(scenarioOf(seed, fault, SIZES));
      own.push(score(truth, diagnose(sources, rules)));
    }
    console.info(`${fault}: label ${share(own, "label")}, first rank ${share(own, "rank")}`);
    for (const one of own) if (!one.label || !one.rank || one.confidentlyWrong) console.info(`  ${one.say}`);
    scores.push(...own);
  }

  console.info(`${scores.length} clusters: label ${share(scores, "label")}, first rank ${share(scores, "rank")}`);
  expect(scores.filter((one) => one.rank).length / scores.length).toBeGreaterThanOrEqual(0.95);
  expect(scores.filter((one) => one.label).length / scores.length).toBeGreaterThanOrEqual(0.95);
  expect(scores.filter((one) => one.confidentlyWrong).map((one) => one.say)).toEqual([]);
}, 1_800_000);

function share(scores: readonly Score[], name: "label" | "rank"): string {
  return `${((100 * scores.filter((one) => one[name]).length) / scores.length).toFixed(1)} %`;
}
