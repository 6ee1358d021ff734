import { describe, expect, it } from "vitest";
import { fillCommand } from "../../src/playbook/fill.ts";

const CLIP = `grep -c "grad norm" train.log
# Megatron-LM  --clip-grad 1.0 \\
#              --lr {{step}}
# DeepSpeed    "gradient_clipping": 1.0
# HF Trainer   --max_grad_norm 1.0
# restart from the checkpoint before`;

describe("a command for several frameworks", () => {
  it("is whole while the framework is not known", () => {
    expect(fillCommand(CLIP, {})).toBe(CLIP.replace("{{step}}", "<step>"));
  });

  it("keeps the lines of one's own framework, those that go on, and those for everybody", () => {
    expect(fillCommand(CLIP, { framework: "megatron", step: 7 })).toBe(`grep -c "grad norm" train.log
# Megatron-LM  --clip-grad 1.0 \\
#              --lr 7
# restart from the checkpoint before`);
  });

  it("is whole for a framework that it has no line for", () => {
    expect(fillCommand(CLIP, { framework: "olmo" })).toBe(fillCommand(CLIP, {}));
  });

  it("knows the framework from the checkpoint's format as well", () => {
    expect(fillCommand(CLIP, { ckpt_format: "megatron-legacy" })).toContain("--clip-grad");
    expect(fillCommand(CLIP, { ckpt_format: "megatron-legacy" })).not.toContain("HF Trainer");
  });

  it("keeps both for a Trainer that runs on DeepSpeed", () => {
    const shown = fillCommand(CLIP, { framework: "hf", zero_stage: 3 });

    expect(shown).toContain("DeepSpeed");
    expect(shown).toContain("HF Trainer");
    expect(shown).not.toContain("Megatron-LM");
  });
});
