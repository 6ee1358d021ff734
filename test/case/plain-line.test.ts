// The story says in words what a machine prints in two hundred signs.
import { describe, expect, it } from "vitest";
import { plainLine } from "../../src/case/plain-line.ts";
import type { Quote } from "../../src/diagnose/verdict-type.ts";
import { wordsFor } from "../../src/locale/words.ts";

function told(quote: string, some: Partial<Quote> = {}, language: "en" | "zh" = "en"): string {
  const at = { source: 0, line: 1 };
  const whole: Quote = { at, quote, rank: null, host: null, time: null, role: "root", count: 1, ...some };
  const { time, say } = plainLine(whole, wordsFor(language));
  return time === null ? say : `${time}  ${say}`;
}

const WATCHDOG =
  "[rank0]:[E1118 23:10:40.100 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41002, OpType=ALLTOALL_BASE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600010 milliseconds before timing out.";

describe("a line of the story", () => {
  it("says who gave up on what, and after how long", () => {
    const some = { rank: 0, time: "1118 23:10:40.100" };
    expect(told(WATCHDOG, some)).toBe("23:10:40.100  rank 0 gave up on ALLTOALL_BASE 41002 after 600 s");
    expect(told(WATCHDOG, some, "zh")).toBe("23:10:40.100  0 号 rank 等了 600 秒，放弃 ALLTOALL_BASE 41002");
  });

  it.each([
    ["[rank5]: RuntimeError: file is cut", { rank: 5 }, "rank 5: RuntimeError: file is cut"],
    ["12: KeyError: 'target_ids'", { rank: 12, host: "cn-12" }, "rank 12 (cn-12): KeyError: 'target_ids'"],
    [
      "(WorkerDict pid=5512, ip=10.2.0.14) [rank11]: RuntimeError: CUDA error: no luck",
      { rank: 11 },
      "rank 11: RuntimeError: CUDA error: no luck",
    ],
    [
      "[rank4]:[E1118 05:40:30.1 ProcessGroupNCCL.cpp:1896] [PG ID 0 PG GUID 0(default_pg) Rank 4] Process group watchdog thread terminated with exception: CUDA error: uncorrectable ECC error",
      { rank: 4 },
      "rank 4: CUDA error: uncorrectable ECC error",
    ],
    ["gpu-c-08: [Mon Aug 10 02:41:17 2026] NVRM: Xid 79", { host: "gpu-c-08" }, "gpu-c-08: NVRM: Xid 79"],
    ["RuntimeError: rank 7 is late", { rank: 7 }, "RuntimeError: rank 7 is late"],
    ["[rank3]: ", { rank: 3 }, "rank 3: [rank3]:"],
    ["disk full", {}, "disk full"],
  ])("leaves out what the machine puts in front: %s", (line, some, says) => {
    expect(told(line, some)).toBe(says);
  });

  it("shows the head of a line that never ends", () => {
    expect(told("x".repeat(9000)).length).toBeLessThan(200);
  });
});
