// Small clusters of every kind of fault, logged in every way: who failed first, and silence about what cannot be told.
import { describe, expect, it } from "vitest";
import { FAULT_NAMES } from "../../bench/faults.ts";
import { scenarioOf, score, textsOf } from "../../bench/scenarios.ts";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { rules } from "./rules.ts";

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 101);
const SIZES = [8, 16];

describe("a cluster's logs", () => {
  it.each(FAULT_NAMES)("%s: the first fault and its rank, or neither where they cannot be told", (fault) => {
    const wrong = SEEDS.map((seed) => {
      const { sources, truth } = textsOf(scenarioOf(seed, fault, SIZES));
      return { seed, ...score(truth, diagnose(sources, rules)) };
    }).filter((one) => !one.label || !one.rank || one.confidentlyWrong);

    expect(wrong).toEqual([]);
  });
});
