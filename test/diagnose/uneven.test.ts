import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { rules } from "./rules.ts";

function told(text: string): { label: string; line: number | undefined; facts: Record<string, unknown> } {
  const { label, root, facts } = diagnose(text, rules);
  const values = Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, fact.value]));
  return { label, line: root?.at.line, facts: values };
}

/** A row for each expert; expert 5 of layer 3 has `hot` tokens. */
function table(hot: number): string {
  const rows = Array.from({ length: 16 }, (_, expert) => `40,3,${expert},${expert === 5 ? hot : 500 + expert}`);
  return ["step,layer,expert,tokens", ...rows].join("\n");
}

describe("uneven experts", () => {
  it("finds the hot row of a table with a row for each expert", () => {
    const { label, line, facts } = told(table(9_100));

    expect({ label, line }).toEqual({ label: "expert-imbalance", line: 7 });
    expect(facts).toMatchObject({ step: 40, layer: 3, expert: 5, max_tokens: 9_100 });
  });

  it("says nothing of a table whose rows are alike", () => {
    expect(told(table(560)).label).toBe("none");
  });

  it("reads maximum and mean beside each other", () => {
    const { label, facts } = told("layer 22 expert load: max 6210 mean 512 min 0 (expert 23)");

    expect(label).toBe("expert-imbalance");
    expect(facts).toMatchObject({ layer: 22, expert: 23, max_tokens: 6_210, mean_tokens: 512 });
  });

  it("says nothing of a maximum near the mean", () => {
    expect(told("layer 22 expert load: max 588 mean 512 min 401").label).toBe("none");
  });

  it("follows the busiest expert's share of the fair share, and lets a fine-tune begin at step 1", () => {
    const load = (times: (at: number) => number): string =>
      Array.from(
        { length: 20 },
        (_, at) => `step ${at + 1} loss 2.1 moe_load/max_utilization ${times(at).toFixed(2)}`,
      ).join("\n");

    expect(told(load((at) => 1.5 + at * 0.4))).toMatchObject({ label: "expert-imbalance", line: 8 });
    expect(told(load((at) => 1.5 + (at % 3) * 0.1)).label).toBe("none");
  });
});

describe("state that was restored and does not fit", () => {
  const raised = [
    "Traceback (most recent call last):",
    '  File "/opt/env/lib/python3.11/site-packages/torch/optim/adamw.py", line 353, in _single_tensor_adamw',
    "    exp_avg.lerp_(grad, 1 - beta1)",
    "RuntimeError: The size of tensor a (800) must match the size of tensor b (200) at non-singleton dimension 0",
  ];

  it("is a checkpoint's where the optimizer's first step after a resume raises", () => {
    const resumed = ["Restored all states from the checkpoint at /ckpt/last.ckpt", ...raised];

    expect(told(resumed.join("\n"))).toMatchObject({ label: "checkpoint-mismatch", line: 5 });
  });

  it("is another fault where nothing was restored", () => {
    expect(told(raised.join("\n")).label).toBe("other");
  });
});
