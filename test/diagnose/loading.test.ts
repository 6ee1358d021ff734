// Load errors that no signature names: where they are raised and what they speak of tells them from any other exception.
import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { rules } from "./rules.ts";

function raisedIn(file: string, call: string, message: string): string {
  return [
    "[rank3]: Traceback (most recent call last):",
    '[rank3]:   File "/job/train.py", line 88, in main',
    "[rank3]:     trainer.start()",
    `[rank3]:   File "${file}", line 214, in ${call}`,
    "[rank3]:     raise error",
    `[rank3]: ${message}`,
  ].join("\n");
}

describe("an exception of loading a checkpoint", () => {
  it.each([
    ["/v/torch/optim/adamw.py", "__setstate__", "KeyError: 'step'", null],
    ["/v/torch/distributed/checkpoint/default_planner.py", "plan", "KeyError: 'pos.embed'", "pos.embed"],
    ["/job/io.py", "load_state_dict", "ValueError: wanted 12 blocks", null],
    ["/v/lib/zero.py", "sanity", "AssertionError: key: 'head.bias' is not found in the checkpoint /c/3.pt", null],
    ["/v/lib/ae.py", "restore", "RuntimeError: state_dict shape mismatch for key 'enc.0'", "enc.0"],
    ["/v/lib/hub.py", "pull", "FileNotFoundError: checkpoint folder /c/step-9 does not exist", null],
  ])("is known by %s, %s: %s", (file, call, message, param) => {
    const verdict = diagnose(raisedIn(file, call, message), rules);

    expect(verdict).toMatchObject({ label: "checkpoint-mismatch", playbook: "checkpoint-mismatch", root: { rank: 3 } });
    expect(verdict.facts.param?.value ?? null).toBe(param);
  });

  it.each([
    ["/v/torch/utils/checkpoint.py", "check", "RuntimeError: recomputed tensors of the checkpoint do not match"],
    ["/v/torch/serialization.py", "save", "RuntimeError: Parent directory /c/step-9 does not exist."],
    ["/v/lib/writer.py", "save_checkpoint", "RuntimeError: shard of the checkpoint is missing"],
    ["/v/datasets/load.py", "load_dataset", "ValueError: data set files are missing"],
    ["/v/transformers/auto.py", "from_pretrained", "ValueError: unrecognised configuration class"],
    ["/job/train.py", "evaluate", "KeyError: 'labels'"],
  ])("is not what %s, %s raises: %s", (file, call, message) => {
    expect(diagnose(raisedIn(file, call, message), rules).label).toBe("other");
  });

  it("is known where a box broke its last frame at the box's width", () => {
    const text = [
      "│ /scratch/envs/train/lib/python3.11/site-packages/torch/distributed/fsdp/_opt │",
      "│ im_utils.py:46                                                               │",
      "│ 1 in _flatten_optim_state_dict                                               │",
      '│ ❱  461 │   states = whole["moments"]                                          │',
      "╰──────────────────────────────────────────────────────────────────────────────╯",
      "KeyError: 'moments'",
    ];
    const ranked = text.map((line) => `[rank9]: ${line}`).join("\n");

    expect(diagnose(ranked, rules)).toMatchObject({ label: "checkpoint-mismatch", root: { rank: 9 } });
  });

  it("is known by IPython's frames", () => {
    const text = [
      "File ~/envs/jx/lib/python3.11/site-packages/orbax/checkpoint/handlers.py:212, in _mesh_of(text, devices)",
      "    210   axes = text[_AXES]",
      "--> 212   mesh = devices.reshape(axes)",
      "",
      "ValueError: cannot reshape array of size 4 into shape (8,32)",
    ].join("\n");

    expect(diagnose(text, rules).label).toBe("checkpoint-mismatch");
  });

  it.each([
    "RuntimeError: The size of tensor a (512) must match the size of tensor b (8) at non-singleton dimension 0",
    "RuntimeError: invalid argument 3: sizes do not match at /build/THC/THCTensorMathPointwise.cu:301",
  ])("is what an optimizer's step raises after a resume that a person tells of: %s", (message) => {
    const told = "I want to resume the training from my last checkpoint, and the first step fails:";
    const raised = [
      "Traceback (most recent call last):",
      '  File "/v/torch/optim/sgd.py", line 94, in step',
      "    buf.mul_(m)",
      message,
    ];

    expect(diagnose([told, ...raised].join("\n"), rules).label).toBe("checkpoint-mismatch");
    expect(diagnose(raised.join("\n"), rules).label).toBe("other");
  });

  it("puts a traceback that another rank printed to the rank in its head", () => {
    const text = [
      "Traceback (most recent call last): (RANK 6)",
      '  File "/v/torch/distributed/checkpoint/default_planner.py", line 141, in create_default_local_load_plan',
      "    md = metadata.state_dict_metadata[fqn]",
      "KeyError: 'cls_token'",
    ].join("\n");

    expect(diagnose(text, rules).facts).toMatchObject({ rank: { value: 6 }, param: { value: "cls_token" } });
  });
});

describe("a person's own words", () => {
  it("point at the line that says it", () => {
    const verdict = diagnose("hi all\nour loss went nan at step 400 of the 7B run and never came back", rules);

    expect(verdict).toMatchObject({ label: "loss-spike", root: null, said: { at: { line: 2 } } });
  });

  it("report an error that they quote within a sentence", () => {
    const text = "Hi, when I start it I get RuntimeError: CUDA error: out of memory, how can I solve this?";

    expect(diagnose(text, rules)).toMatchObject({ label: "oom", status: "supported", said: { at: { line: 1 } } });
  });

  it("report it above the settings they add", () => {
    const settings = Array.from({ length: 12 }, (_, index) => `layer_size_${index} = ${index * 64}`);

    const verdict = diagnose(
      ["We run out of memory when we train the 24B model on 8 cards.", ...settings].join("\n"),
      rules,
    );

    expect(verdict.label).toBe("oom");
  });
});

describe("where in the model it was", () => {
  it("is told by the code of a frame whose file holds the whole model", () => {
    const text = [
      "Traceback (most recent call last):",
      '  File "/job/model.py", line 288, in forward',
      "    logits = self.lm_head(h).float()",
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.83 GiB. GPU 3 has a total capacity of 79.18 GiB",
    ].join("\n");

    expect(diagnose(text, rules).facts.where?.value).toBe("logits");
  });
});
