import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { isProse } from "../../src/diagnose/quiet.ts";
import { rules } from "./rules.ts";

const ARGUMENTS = Array.from({ length: 40 }, (_, at) => `  moe_option_${at} ${".".repeat(20)} ${at}`);

describe("a dump of arguments", () => {
  it("is a configuration", () => {
    expect(diagnose(ARGUMENTS.join("\n"), rules).label).toBe("none");
  });

  it("is the head of a log where an exception follows", () => {
    const raised = ["[rank0]: Traceback (most recent call last):", "[rank0]: ValueError: micro batch size is 0"];

    expect(diagnose([...ARGUMENTS, ...raised].join("\n"), rules).label).toBe("other");
  });
});

describe("a line that a person wrote", () => {
  it.each([
    'nit: instead of matching on the string "Watchdog caught collective operation timeout" could we check the type?',
    "question: is the loss supposed to be nan for the first steps?",
  ])("is prose: %j", (line) => {
    expect(isProse(line)).toBe(true);
    expect(diagnose(line, rules).label).toBe("none");
  });

  it.each([
    "2m11s   Warning   Evicted   pod/worker-3   The node was low on resource: ephemeral-storage. It was using 4Gi.",
    "torchrun: error: the following arguments are required: training_script",
  ])("is not: %j", (line) => {
    expect(isProse(line)).toBe(false);
  });

  it("explains an exit code, and reports none", () => {
    const text = "Exit code 137 means that the container got SIGKILL, usually by the OOM killer. See the runbook.";

    expect(diagnose(text, rules).label).toBe("none");
  });
});

describe("how a launcher tells that a process ended", () => {
  it.each([
    ["torch.multiprocessing.spawn.ProcessExitedException: process 6 terminated with signal SIGKILL", "process-killed"],
    ["Exception: process 2 terminated with signal SIGSEGV", "segfault"],
    [
      "[2026-02-01 08:11:09,412] [ERROR] [launch.py:325:sigkill_handler] ['python', 'fit.py', '--local_rank=2'] exits with return code = -7",
      "segfault",
    ],
  ])("is a fault of its own: %s", (line, subcause) => {
    const text = [
      "epoch 3 begins",
      "Traceback (most recent call last):",
      '  File "/job/fit.py", line 9, in <module>',
      line,
    ];

    expect(diagnose(text.join("\n"), rules)).toMatchObject({ label: "other", subcause, root: { at: { line: 4 } } });
  });

  it.each([
    "torch.multiprocessing.spawn.ProcessRaisedException:",
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "Worker 5 died",
    '1.75e+09\tDEBUG\tevents\tPod: lab.tune-worker-2 exited with code 3\t{"type": "Normal", "reason": "ExitedWithCode"}',
  ])("is a failure, with nothing of why: %s", (line) => {
    expect(diagnose(`starting 8 workers\n${line}`, rules)).toMatchObject({ label: "other", status: "unknown" });
  });

  it("is none where the worker is replaced and the run goes on", () => {
    const steps = [1, 2, 3, 4, 5, 6].map((step) => `step ${step} loss ${(3 - step / 10).toFixed(2)} lr 1e-4`);

    expect(diagnose(["Worker 5 died, restarting it", ...steps].join("\n"), rules).label).toBe("none");
  });

  it("is reported by a person who quotes it", () => {
    const text =
      'When I train with 4 cards it shows "ProcessExitedException: process 2 terminated with signal SIGKILL", does anyone know why?';

    expect(diagnose(text, rules)).toMatchObject({ label: "other", status: "supported", subcause: "process-killed" });
  });
});

describe("a line of the level of errors", () => {
  it.each([
    "2026-02-01 08:00:02 [ERROR] no exporter configured, traces stay on this host",
    "2026-02-01 08:00:02 [ERROR] upload failed, retrying in 5 s",
    "2026-02-01 08:00:02 - app - ERROR - hostfile absent",
  ])("is no failure where the run goes on: %s", (line) => {
    const text = [
      "2026-02-01 08:00:01 [INFO] up",
      line,
      "2026-02-01 08:00:09 [INFO] index built",
      "2026-02-01 08:00:12 [INFO] ready",
    ];

    expect(diagnose(text.join("\n"), rules).label).toBe("none");
  });

  it.each([
    "2026-02-01 08:00:02 [ERROR] engine aborted",
    "[2026-02-01 08:00:02,100] [ERROR] [reader.py:88] manifest rejected: revision 7 is newer than this reader",
  ])("is one where its words say so, or nothing comes after it: %s", (line) => {
    expect(diagnose(`2026-02-01 08:00:01 [INFO] up\n${line}`, rules)).toMatchObject({
      label: "other",
      root: { at: { line: 2 } },
    });
  });
});

describe("the description of a change", () => {
  it.each([
    [
      "fix(launch): end all nodes when one dies",
      "",
      "A rank that ran out of memory left the others hung in an all-reduce until the watchdog timed out.",
    ],
    [
      "## Motivation",
      "",
      "Two runs of 128 GPUs died and their jobs hung for hours, since every rank ran out of memory in a gather.",
      "",
      "## Test plan",
      "",
      "ran it",
    ],
    [
      "This PR adds a barrier before the save.",
      "",
      "Without it our ranks hang in the next all-gather, and the job is stuck until it times out.",
    ],
  ])("reports no fault: %s", (...lines) => {
    expect(diagnose(lines.join("\n"), rules).label).toBe("none");
  });

  it.each([
    [
      "Release notes 2.3",
      "- launcher: name the signal that killed a process",
      "- ddp: fix the hang when a rank dies in the first all-reduce",
      "- fsdp: a save no longer runs out of memory",
    ],
    [
      "**Is your feature request related to a problem?**",
      "When a rank dies we see the others hang in an all-reduce until the watchdog times out.",
      "**Describe the solution you'd like**",
      "end the group at once",
    ],
  ])("nor does a list of changes or a wish: %s", (...lines) => {
    expect(diagnose(lines.join("\n"), rules).label).toBe("none");
  });

  it("does not hide the log among the headings of a report", () => {
    const text = [
      "### Describe the bug",
      "it dies at step 3",
      "### Logs",
      "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
      "### Alternatives considered",
      "none",
    ];

    expect(diagnose(text.join("\n"), rules).label).toBe("oom");
  });

  it("does not hide the log below a title", () => {
    const text = [
      "fix: larger batch",
      "Traceback (most recent call last):",
      '  File "/job/a.py", line 3, in step',
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    ];

    expect(diagnose(text.join("\n"), rules).label).toBe("oom");
  });
});

describe("words above a log that is calm", () => {
  const calm = [100, 110, 120, 130].map(
    (step, at) =>
      `[2026-03-01 10:00:${10 + at}] iteration ${step}/ 5000 | lm loss: 2.3${9 - at}E+00 | grad norm: 0.3${at} |`,
  );

  it("tell of what the log cannot show", () => {
    const words = "our 24 node job hangs every few hours without any error, all gpus at 100%. what should we look at?";

    expect(diagnose([words, ...calm].join("\n"), rules)).toMatchObject({ label: "nccl-timeout", status: "supported" });
  });

  it.each([
    "is the loss of our run ok like this, or does it diverge?",
    "first lines of the new run, it hung last week but is fine now",
  ])("are no report: %s", (words) => {
    expect(diagnose([words, ...calm].join("\n"), rules).label).toBe("none");
  });
});

describe("a load that leaves something out", () => {
  const steps = [1, 2, 3, 4].map((step) => `{'loss': ${2 - step / 10}, 'learning_rate': 4e-05, 'epoch': 0.${step}}`);
  const head = [
    "Some weights of SwinForImageClassification were not initialized from the model checkpoint at base/swin and are newly initialized because the shapes did not match:",
    "- classifier.weight: found shape torch.Size([1000, 1024]) in the checkpoint and torch.Size([12, 1024]) in the model instantiated",
    "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.",
  ];

  it.each([
    [head],
    [[...head, ...steps]],
    [
      [
        "WARNING [07/14 10:21:33 fvcore.common.checkpoint]: Skip loading parameter 'head.cls.weight' to the model due to incompatible shapes: (81, 64) in the checkpoint but (5, 64) in the model! You might want to double check if this is expected.",
        "[07/14 10:21:52 d2.utils.events]:  eta: 0:14:02  iter: 19  total_loss: 2.3  lr: 4.9e-06",
      ],
    ],
    [
      [
        "2026-04-18 10:02:14 [WARNING]\t[SKIP] Shape of pretrained params heads.0.weight doesn't match.(Pretrained: (19, 64), Actual: [2, 64])",
        ...steps,
      ],
    ],
  ])("is a fine-tune where it is the head: %#", (lines) => {
    expect(diagnose(lines.join("\n"), rules).label).toBe("none");
  });

  const size = (param: string): string =>
    `[rank0]: WARNING size mismatch for ${param}: copying a param with shape torch.Size([81, 1024]) from checkpoint, the shape in current model is torch.Size([7, 1024]). skipped`;
  const trains = [10, 20, 30, 40].map((step) => `[rank0]: step ${step} loss ${(2.3 - step / 100).toFixed(2)} lr 1e-5`);

  it("is a fine-tune where the words of an exception are a warning about a head, and the run trains on", () => {
    expect(diagnose([size("box_predictor.cls_score.weight"), ...trains].join("\n"), rules).label).toBe("none");
    expect(diagnose(size("box_predictor.cls_score.weight"), rules).label).toBe("checkpoint-mismatch");
  });

  it("is a partial load where they are about the body, and the run trains on", () => {
    expect(diagnose([size("blocks.3.attn.qkv.weight"), ...trains].join("\n"), rules)).toMatchObject({
      label: "checkpoint-mismatch",
      status: "supported",
      subcause: "partial-load",
    });
  });

  it("is a mismatch where it is a layer of the body", () => {
    const body =
      "- encoder.blocks.3.conv1.weight: found shape torch.Size([512, 512, 3, 3]) in the checkpoint and torch.Size([64, 64, 3, 3]) in the model instantiated";

    expect(diagnose([head[0], body, head[2]].join("\n"), rules)).toMatchObject({
      label: "checkpoint-mismatch",
      facts: { ckpt_shape: { value: [512, 512, 3, 3] }, model_shape: { value: [64, 64, 3, 3] } },
    });
  });
});

describe("a question whether it is as it should be", () => {
  it.each([
    "What is a reasonable range for the loss of a 300M model at 200k steps? Mine is 2.8, should I be concerned that I am doing something wrong?",
    "we get 41k tokens/s on 16 gpus, does that sound reasonable, or is something off with our processing?",
  ])("is no report: %s", (text) => {
    expect(diagnose(text, rules).label).toBe("none");
  });
});

describe("a text that teaches or describes", () => {
  it.each([
    [
      "This guide shows what to change first.",
      "An error of this kind looks like this: RuntimeError: CUDA out of memory. Tried to allocate 256.00 MiB (GPU 0; 23.65 GiB total capacity; 21.10 GiB already allocated; 120.50 MiB free).",
    ],
    [
      "多机训练 NCCL 超时避坑指南",
      "它往往在反向传播的某一刻突然中断整个训练，我们团队去年也被它折腾了很久，本文将从原理讲起，总结几类常见原因。",
    ],
    [
      "The loop now catches the signal, finishes its step and saves before it leaves, so that nothing is lost. The flag is reduced over all ranks at the end of every step: a rank that leaves alone would deadlock the others in the next collective until the time-out. Tested live with a run of two nodes.",
    ],
  ])("reports nothing: %s", (...lines) => {
    expect(diagnose(lines.join("\n"), rules).label).toBe("none");
  });

  it("is told from a long report that names nobody", () => {
    const text =
      "128 H100, tp8 pp4. Job hangs every 6 hours at a different step, the watchdog fires on all ranks but rank 40, restarting helps for a while. No xid in dmesg, ib counters clean. Happens only since the switch upgrade last Tuesday. The log of rank 40 ends without any message.";

    expect(diagnose(text, rules)).toMatchObject({ label: "nccl-timeout", status: "supported" });
  });
});

describe("courtesy", () => {
  it("does not hide the report behind it", () => {
    const text =
      "Hi, thanks for the great work! I want to ask about my run: the loss goes down at first, and at about 4k steps it suddenly starts to diverge. Did you see this too?";

    expect(diagnose(text, rules)).toMatchObject({ label: "loss-spike", status: "supported" });
  });
});

describe("trouble that is over", () => {
  it("is no report", () => {
    expect(
      diagnose("closing this: the out of memory in the eval loop is gone with 2.4, no spikes either", rules).label,
    ).toBe("none");
    expect(diagnose("本次更新：修复了保存检查点时其他 rank 超时的问题，显存占用降低 10%。", rules).label).toBe("none");
  });

  it("is not what somebody did by the docs", () => {
    const docs =
      "docs: I followed the docs for two nodes but it hangs at init, rank 0 waits and then times out after 10 minutes. help?";

    expect(diagnose(docs, rules).label).toBe("nccl-timeout");
  });
});

describe("what a program prints in whole sentences", () => {
  it.each([
    [
      "Saved model and snapshot at epoch 3",
      "Better model found at epoch 3 with valid_loss value: 0.84",
      "For gpu:2. Running epoch: 4",
    ],
    [
      "The node's memory rises slowly over a week of training. There may be a tiny leak, I'm not sure where. It never caused a problem.",
    ],
  ])("reports nothing, nor does what is said to be harmless: %s", (...lines) => {
    expect(diagnose(lines.join("\n"), rules).label).toBe("none");
  });

  it("tells its error from within a member of JSON", () => {
    const text = [
      "[ERROR] 2026-01-13 22:18:26,678 error_handler: {",
      '    "message": "RendezvousConnectionError: The connection to the C10d store has failed. See inner exception for details.",',
    ];

    expect(diagnose(text.join("\n"), rules)).toMatchObject({
      label: "other",
      subcause: "rendezvous-failed",
      root: { at: { line: 2 } },
    });
  });
});

describe("an error that a person quotes without saying I", () => {
  it.each([
    [
      "loss-spike",
      'While training an MoE these assert errors occurred: "found NaN in local grad norm in backward pass before data-parallel communication collective". How to figure out why?',
    ],
    [
      "nccl-timeout",
      "Two machines over InfiniBand, and encountered this error in the first test: NET/IB : Got completion from peer 10.6.13.8<36315> with status=12 opcode=32698 len=32696 vendor err 129 (Send)",
    ],
  ])("is a report of it: %s", (label, text) => {
    expect(diagnose(text, rules)).toMatchObject({ label, status: "supported" });
  });
});

describe("a run that learnt and turned", () => {
  const lines = (losses: number[]): string =>
    losses.map((loss, at) => `step=${at * 50} loss=${loss} gnorm=3.1`).join("\n");

  it("is placed at mmcv's step in brackets", () => {
    const line = (iter: number, loss: number): string =>
      `2026-02-16 03:52:17,720 - mmdet - INFO - Iter [${iter}/87900]\tlr: 1.8e-04, eta: 18:55:17, time: 0.899, memory: 18408, loss: ${loss}, grad_norm: ${loss * 2}`;
    const lines = [line(15000, 21.6), line(16000, 21.3), line(17000, 49.5), line(18000, 61.2)];

    expect(diagnose(lines.join("\n"), rules).facts).toMatchObject({
      step: { value: 17000 },
      loss_before: { value: 21.3 },
    });
  });

  it("diverges where the loss rises with every line to many times its lowest", () => {
    const verdict = diagnose(lines([11.2, 8.1, 4, 2.2, 1.6, 1.3, 3.9, 6.2, 8.8]), rules);

    expect(verdict).toMatchObject({
      label: "loss-spike",
      subcause: "divergence",
      facts: { step: { value: 300 }, loss_before: { value: 1.3 } },
    });
  });

  it.each([
    [[0.02, 0.015, 0.011, 0.004, 0.006, 0.009, 0.013, 0.014]],
    [[2.2, 1.9, 2.3, 1.8, 2.2, 1.7, 2, 2.1, 2.2]],
    [[0, 0, 1.2, 1.1, 1.1, 1]],
  ])("is well where it swings, is tiny, or had no loss yet: %j", (losses) => {
    expect(diagnose(lines(losses), rules).label).toBe("none");
  });
});

describe("a loss of zero", () => {
  const lines = (more: string): string =>
    [1, 2, 3, 4, 5, 6]
      .map((step) => `{'loss': 0.0, 'grad_norm': 0.0, ${more}'learning_rate': ${step}e-06, 'epoch': 0.0${step}}`)
      .join("\n");

  it("with a gradient of zero on every line is nothing learnt", () => {
    expect(diagnose(lines(""), rules)).toMatchObject({ label: "loss-spike", status: "supported" });
  });

  it("is right where every reward of a group is the same", () => {
    expect(diagnose(lines("'reward': 1.0, "), rules).label).toBe("none");
  });
});
