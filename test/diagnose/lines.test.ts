import { describe, expect, it } from "vitest";
import { between, readStamp } from "../../src/diagnose/clock.ts";
import { clean, parseLine } from "../../src/diagnose/lines.ts";

/** What the front of a line tells: rank, host and the text that is left. */
function front(raw: string): { rank: number | null; host: string | null; text: string } {
  const { rank, host, text } = parseLine(0, 1, raw);
  return { rank, host, text };
}

describe("a line's prefixes", () => {
  it.each([
    ["[rank3]: RuntimeError: x", 3, null, "RuntimeError: x"],
    ["[rank3]:[rank3]: RuntimeError: x", 3, null, "RuntimeError: x"],
    ["12: Traceback (most recent call last):", 12, null, "Traceback (most recent call last):"],
    ["[1,4]<stderr>:Segmentation fault", 4, null, "Segmentation fault"],
    ["[1,mpirank:17,algo-3]<stdout>:hello", 17, "algo-3", "hello"],
    ["gpu-b-07: [default7]:[rank7]: Killed", 7, "gpu-b-07", "Killed"],
    ["10.0.3.14: Killed", null, "10.0.3.14", "Killed"],
    ["(WorkerDict pid=61182, ip=10.44.12.31) [rank5]: ValueError: y", 5, null, "ValueError: y"],
    ["[pod/worker-3/pytorch] Killed", null, "worker-3", "Killed"],
    ["2026-03-02T04:11:09.123Z [rank2]: Killed", 2, null, "Killed"],
    ["[rank0]:[E220 03:22:05.327650831 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog", 0, null, "[Rank 0] Watchdog"],
    ["[E ProcessGroupNCCL.cpp:523] [Rank 0] Watchdog", 0, null, "[Rank 0] Watchdog"],
    ["[E ProcessGroupNCCL.cpp:523] [PG 0 Rank 3] Timeout", 3, null, "[PG 0 Rank 3] Timeout"],
    ["E1130 04:11:02.123456 4127 train.cc:12] boom", null, null, "boom"],
    ["node-03:21177:22904 [5] NCCL INFO x", null, "node-03", "NCCL INFO x"],
    ["Mar  2 04:11:09 gpu-k-19 kernel: NVRM: Xid", null, "gpu-k-19", "kernel: NVRM: Xid"],
    ['{"log":"[rank1]: Killed\\n","stream":"stderr","time":"2026-03-02T04:11:09Z"}', 1, null, "Killed"],
    ["\u001b[36m(main_task pid=19443)\u001b[0m hello", null, null, "hello"],
    ["<4>1 2026-04-18T03:11:09.221Z h100-033 kernel - - - NVRM: Xid", null, "h100-033", "NVRM: Xid"],
    ["<11>1 2026-04-18T03:22:14Z node-7 train 88118 - - [rank5]: Killed", 5, "node-7", "Killed"],
    ["  2%|▏ | 13/620 [01:07<50:20, 4.98s/it][rank2]:[E1123 00:52:57.6 x.cpp:1] boom", 2, null, "boom"],
    [
      "[ERROR] 2026-01-21-15:09:34 (PID:29690, Device:3, RankID:11) ERR00100",
      11,
      null,
      "[ERROR] 2026-01-21-15:09:34 (PID:29690, Device:3, RankID:11) ERR00100",
    ],
    [" 46%|▋ | 31/67 [29:02<35:12, 58.67s/it]slurmstepd: error: x", null, null, "slurmstepd: error: x"],
    [
      "  3%|▏ | 3/90 [00:02<56:35, 2.5it/s, loss=1.2][ds] OVERFLOW",
      null,
      null,
      "  3%|▏ | 3/90 [00:02<56:35, 2.5it/s, loss=1.2][ds] OVERFLOW",
    ],
    ["stderr:   exitcode  : 1 (pid: 88)", null, null, "  exitcode  : 1 (pid: 88)"],
    ["[1803] [rank4]:[E602 11:18:52.5 x.cpp:1] boom", 4, null, "boom"],
    [": [rank11]: Last error:", 11, null, "Last error:"],
    ["node-b: [rank9]: Killed", 9, "node-b", "Killed"],
    ["RuntimeError: no prefix here", null, null, "RuntimeError: no prefix here"],
    ["ValueError: 3 is not 4", null, null, "ValueError: 3 is not 4"],
  ])("reads %j", (raw, rank, host, text) => {
    expect(front(raw)).toEqual({ rank, host, text });
  });

  it("takes a watchdog's [Rank n] for the rank, but not where it is the rank inside a named group", () => {
    expect(front("[Rank 5] Watchdog caught").rank).toBe(5);
    expect(front("[PG ID 0 PG GUID 0(default_pg) Rank 9] Timeout at NCCL work: 4").rank).toBe(9);
    expect(front("[PG ID 3 PG GUID 40(TENSOR_MODEL_PARALLEL_GROUP) Rank 1] Timeout at NCCL work: 4").rank).toBeNull();
    expect(front("[PG 1 Rank 4] Timeout at NCCL work: 4").rank).toBeNull();
  });

  it("drops colours, half a colour, NULs and Slack's escapes", () => {
    expect(clean("\u001b[31mred\u001b[0m a &lt;b&gt; &amp;&amp; \u0000c\u001b[3")).toBe("red a <b> && c");
  });
});

describe("a line's time", () => {
  it.each([
    ["2026-03-02 04:11:09,123", "iso", "2026-03-02 04:11:09,123"],
    ["[2026-03-02 04:11:09]", "iso", "2026-03-02 04:11:09"],
    ["E1130 04:11:02.123 x", "glog", "1130 04:11:02.123"],
    ["E218 04:11:02.123 x", "glog", "218 04:11:02.123"],
    ["Mar  2 04:11:09 host", "glog", "Mar  2 04:11:09"],
    ["[Sun Feb 23 16:24:18 2025] NVRM", "iso", "Sun Feb 23 16:24:18 2025"],
    ["[17811402.114046] oom", "uptime", "17811402.114046"],
    ["09:20:40 SUCCESS", "day", "09:20:40"],
  ])("reads %j", (text, kind, printed) => {
    expect(readStamp(text, 0)).toMatchObject({ kind, printed });
  });

  it("orders two lines by a clock that both have", () => {
    const early = parseLine(0, 1, "[rank1]:[E220 03:12:05.327 x.cpp:1] a").times;
    const late = parseLine(0, 2, "[rank2]:[E220 03:22:05.327 x.cpp:1] a").times;

    expect(between(early, late)).toBe(600_000);
  });

  it("claims no order where no clock is shared", () => {
    const uptime = parseLine(0, 1, "[17811402.114046] a").times;
    const day = parseLine(0, 2, "[2026-03-02 04:11:09] a").times;

    expect(between(uptime, day)).toBeUndefined();
  });

  it("reads the zone where it is printed, and a date that does not exist as none", () => {
    expect(readStamp("2026-03-02T04:11:09+08:00", 0)).toMatchObject({ zone: 480 });
    expect(readStamp("2026-13-02 04:11:09", 0)).toBeUndefined();
  });
});
