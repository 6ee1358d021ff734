// Who was late, group by group: never joined, joined and stuck, or cannot be told.
import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { rules } from "./rules.ts";

interface State {
  rank: number;
  group: string;
  own: number;
  seq: number;
  enqueued: number;
  completed: number;
}

function waits({ rank, group, own, seq, enqueued, completed }: State): string {
  const at = `[rank${rank}]:[E0302 03:10:12.${100 + rank}000000 ProcessGroupNCCL.cpp`;
  return [
    `${at}:633] [Rank ${own}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${seq}, OpType=ALLREDUCE, NumelIn=4096, NumelOut=4096, Timeout(ms)=600000) ran for 600041 milliseconds before timing out.`,
    `${at}:2270] [PG ID 3 PG GUID ${group} Rank ${own}]  failure detected by watchdog at work sequence id: ${seq} PG status: last enqueued work: ${enqueued}, last completed work: ${completed}`,
  ].join("\n");
}

const tensor = "40(TENSOR_MODEL_PARALLEL_GROUP)";

describe("who was late", () => {
  it("is looked for in the last attempt only", () => {
    const group = "0(default_pg)";
    const all = [0, 1, 2, 3].map((rank) => waits({ rank, group, own: rank, seq: 9, enqueued: 9, completed: 8 }));
    const again = [0, 1, 3].map((rank) => waits({ rank, group, own: rank, seq: 9, enqueued: 9, completed: 8 }));
    const text = [...all, "[default] Worker group FAILED. 2/3 attempts left; will restart worker group", ...again];

    expect(diagnose(text.join("\n"), rules).facts).toMatchObject({
      rank: { value: 2 },
      reporting_ranks: { value: [0, 1, 3] },
    });
  });

  it("is the rank that never began what its group waits for, not those who wait for that group", () => {
    const lines = [
      ...[0, 1, 2].map((rank) => waits({ rank, group: tensor, own: rank, seq: 90, enqueued: 90, completed: 89 })),
      // Rank 3 had finished all it began, and waits nowhere.
      waits({ rank: 3, group: tensor, own: 3, seq: 89, enqueued: 89, completed: 89 }),
      ...[5, 9, 13].map((rank, own) =>
        waits({ rank, group: "61(DATA_PARALLEL_GROUP)", own: own + 1, seq: 12, enqueued: 12, completed: 11 }),
      ),
      // Rank 1 is behind in its data group because of rank 3.
      waits({ rank: 1, group: "61(DATA_PARALLEL_GROUP)", own: 0, seq: 11, enqueued: 11, completed: 11 }),
    ];

    expect(diagnose(lines.join("\n"), rules)).toMatchObject({ cascade: { late: [3] }, facts: { rank: { value: 3 } } });
  });

  it("is told from a rank that began an operation and did not finish it", () => {
    const lines = [
      waits({ rank: 2, group: tensor, own: 2, seq: 90, enqueued: 93, completed: 89 }),
      ...[0, 1, 3].map((rank) => waits({ rank, group: tensor, own: rank, seq: 91, enqueued: 93, completed: 90 })),
    ];

    const verdict = diagnose(lines.join("\n"), rules);

    expect(verdict).toMatchObject({ cascade: { late: [] }, facts: { rank: { value: 2 } } });
    expect(verdict.cascade?.why.en).toContain("did not finish");
  });

  it("is nobody where all began the operation and none finished it", () => {
    const lines = [0, 1, 2, 3].map((rank) =>
      waits({ rank, group: tensor, own: rank, seq: 90, enqueued: 90, completed: 89 }),
    );

    const verdict = diagnose(lines.join("\n"), rules);

    expect(verdict.facts.rank).toBeUndefined();
    expect(verdict.cascade).toMatchObject({ late: [], missing: [] });
  });
});

describe("where the late rank runs", () => {
  const group = "0(default_pg)";
  const late = (host: (rank: number) => string): string[] =>
    [0, 1, 2, 3].map((rank) => {
      const state = { rank, group, own: rank, seq: 9, enqueued: rank === 2 ? 8 : 9, completed: 8 };
      const line = waits(state)
        .split("\n")
        .slice(rank === 2 ? 1 : 0);
      return line.map((one) => `${host(rank)}: ${one}`).join("\n");
    });

  it("is said by its own lines, not by the line of the rank that waited for it", () => {
    const text = late((rank) => `gpu-${rank < 2 ? 4 : 5}`).join("\n");

    expect(diagnose(text, rules).facts).toMatchObject({ rank: { value: 2 }, host: { value: "gpu-5" } });
  });

  it("is not the name of a collector that stands in front of every line", () => {
    const homes = [0, 2].map((rank) => `log-01: [rank${rank}]: init: host gpu-${4 + rank / 2} rank ${rank} of 4`);
    const verdict = diagnose([...homes, ...late(() => "log-01")].join("\n"), rules);

    expect(verdict.facts.rank?.value).toBe(2);
    expect(verdict.facts.host).toBeUndefined();
  });
});

describe("an exception whose traceback begins above the paste", () => {
  it("is the one that another rank tells whole", () => {
    const text = [
      "[rank4]: RuntimeError: graph build refused: node gemm_7",
      "[rank6]: Traceback (most recent call last):",
      '[rank6]:   File "/job/fit.py", line 9, in step',
      "[rank6]: RuntimeError: graph build refused: node gemm_7",
    ].join("\n");

    expect(diagnose(text, rules)).toMatchObject({ label: "other", root: { at: { line: 1 }, rank: 4 } });
  });
});

describe("whom Horovod waits for", () => {
  const stalled =
    "W horovod/common/stall_inspector.cc:105] One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remaind";

  it.each([
    [["er of ranks for more than 60 seconds.", "Stalled ranks:", "5: [allreduce.0, allreduce.1 ...]"]],
    [["er of ranks for more than 60 seconds.", "Stalled ops:", "HorovodBroadcast_dense_kernel_0 [missing ranks: 5]"]],
  ])("is said in the older words too, broken at a width: %#", (more) => {
    expect(diagnose([stalled, ...more].join("\n"), rules)).toMatchObject({
      label: "nccl-timeout",
      facts: { suspect_ranks: { value: [5] } },
    });
  });
});
