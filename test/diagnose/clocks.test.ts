// Clocks that disagree are found before anything is said to come first; a restarted job is read attempt by attempt.
import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import type { Verdict } from "../../src/diagnose/verdict-type.ts";
import { rules } from "./rules.ts";

const OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB.";
const DISK = "OSError: [Errno 28] No space left on device";
const TRACEBACK = "Traceback (most recent call last):";

function verdictOf(logs: Record<string, string[]>): Verdict {
  return diagnose(
    Object.entries(logs).map(([name, lines]) => ({ name, text: `${lines.join("\n")}\n` })),
    rules,
  );
}

/** Steps 10 to 12, two seconds apart from `start`, then what is given, at its time. */
function run(start: string, ...after: [string, string][]): string[] {
  const [hours, minutes, seconds] = start.split(":").map(Number) as [number, number, number];
  const at = (index: number): string =>
    new Date(Date.UTC(2026, 2, 2, hours, minutes, seconds + 2 * index)).toISOString().slice(11, 19);
  const steps = [10, 11, 12].map(
    (step, index) => `2026-03-02 ${at(index)},000 INFO step: ${step} loss: 2.${40 - step}`,
  );
  return [...steps, ...after.flatMap(([time, text]) => text.split("\n").map((one) => `2026-03-02 ${time},000 ${one}`))];
}

function timedOut(rank: number): string {
  return `[E ProcessGroupNCCL.cpp:561] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88, OpType=ALLREDUCE, NumelIn=4096, NumelOut=4096, Timeout(ms)=600000) ran for 600041 milliseconds before timing out.`;
}

describe("clocks", () => {
  const early: [string, string] = ["03:00:10", `${TRACEBACK}\n${DISK}`];

  it("are believed where the steps agree", () => {
    const verdict = verdictOf({
      "rank_0.log": run("03:00:00", early),
      "rank_1.log": run("03:00:00", ["03:00:40", `${TRACEBACK}\n${OOM}`]),
    });

    expect(verdict).toMatchObject({ label: "other", clock: null, facts: { rank: { value: 0 } } });
  });

  it("that a step shows to be wrong are put right before the faults are put in order", () => {
    const verdict = verdictOf({
      "rank_0.log": run("03:00:00", early),
      "rank_1.log": run("02:58:00", ["02:58:40", `${TRACEBACK}\n${OOM}`]),
      "rank_2.log": run("03:00:00", ["03:10:12", timedOut(2)]),
      "rank_3.log": run("03:00:00", ["03:10:12", timedOut(3)]),
    });

    expect(verdict).toMatchObject({ label: "other", facts: { rank: { value: 0 } } });
    expect(verdict.clock?.en).toContain("rank 1 is 2 min behind");
  });

  it("of different days order nothing", () => {
    const verdict = verdictOf({
      "rank_0.log": run("03:00:00", early),
      "rank_1.log": run("03:00:00", ["03:00:40", `${TRACEBACK}\n${OOM}`]).map((line) =>
        line.replace("2026-03-02", "2026-03-09").replace("step: ", "step: 9"),
      ),
    });

    expect(verdict.clock?.en).toContain("7 days apart");
    expect(verdict.confidence).toBeLessThan(0.8);
  });

  it("pass midnight without a date", () => {
    const verdict = diagnose(
      [
        "23:59:50 [rank0]: Traceback (most recent call last):",
        `23:59:50 [rank0]: ${DISK}`,
        ...[1, 2, 3].map((rank) => `00:09:51 [rank${rank}]: ${timedOut(rank)}`),
      ].join("\n"),
      rules,
    );

    expect(verdict.cascade).toMatchObject({ first_to_last_s: 601, late: [0] });
  });
});

describe("a restarted job", () => {
  const first = run("03:00:00", ["03:00:10", `${TRACEBACK}\n${OOM}`]);

  it("is judged by its last failed attempt", () => {
    const second = run("03:20:00", ["03:20:10", `${TRACEBACK}\n${DISK}`]);

    const verdict = verdictOf({ "rank_0.log": [...first, ...second] });

    expect(verdict).toMatchObject({ label: "other", secondary: [], root: { at: { line: first.length + 5 } } });
  });

  it("is judged by the last attempt that has a folder of its own", () => {
    const verdict = verdictOf({
      "attempt_0/0/stderr.log": [TRACEBACK, OOM],
      "attempt_1/0/stderr.log": [TRACEBACK, DISK],
    });

    expect(verdict).toMatchObject({ label: "other", root: { at: { source: 1 }, rank: 0 } });
  });

  it("is judged by the attempt that failed where the next one goes on", () => {
    expect(verdictOf({ "rank_0.log": [...first, ...run("03:20:00")] })).toMatchObject({ label: "oom" });
  });
});
