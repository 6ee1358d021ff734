import { describe, expect, it } from "vitest";
import { toLaunchText } from "../../../src/diagnose/outputs/launch-words.ts";
import { toOutputText } from "../../../src/diagnose/outputs/output-text.ts";

const words = (text: string) =>
  toLaunchText(toOutputText(text)).commands.map(({ own, script }) => [...own, ...script].join(" "));

describe("a launch command in a script", () => {
  it.each([
    ["continued lines", "torchrun \\\n  --nnodes 2 \\\n  train.py", "--nnodes 2 train.py"],
    [
      "variables of the script",
      "N=4\nexport A=(\n --nnodes $N # nodes\n)\ntorchrun ${A[@]} train.py",
      "--nnodes 4 train.py",
    ],
    [
      "quoted lists",
      'A="--nnodes 2 \\\n --max-restarts 3"\ntorchrun $A train.py',
      "--nnodes 2 --max-restarts 3 train.py",
    ],
    ["what Slurm was asked for", "#SBATCH --nodes=8\nsrun torchrun --nnodes=$SLURM_NNODES a.py", "--nnodes=8 a.py"],
    ["settings before it", "A=1 B='x y' nohup torchrun --nnodes 2 train.py > log 2>&1 &", "--nnodes 2 train.py"],
  ])("is taken with %s", (_, text, expected) => {
    expect(words(text)).toEqual([expected]);
  });

  it("ends where a variable doubles itself a hundred times", () => {
    const text = `A=aaaaaaaa\n${'A="$A $A"\n'.repeat(100)}torchrun $A a.py`;

    expect(words(text).join().length).toBeLessThan(100_000);
  });

  it.each([
    ["set by a command", "A=$(hostname)\ntorchrun --master_addr $A a.py"],
    ["set nowhere", "torchrun --master_addr $A a.py"],
    ["with a default that the environment may replace", "A=1\ntorchrun --master_addr ${B:-$A} a.py"],
  ])("keeps a variable as it is when it is %s", (_, text) => {
    expect(words(text)[0]).toMatch(/--master_addr \$/);
  });

  it.each([
    "torchrun hangs here",
    "mpirun noticed that process rank 4 exited",
    "srun bash run.sh",
    'File "/opt/torchrun", line 8',
  ])("is not seen in: %s", (text) => {
    expect(words(text)).toEqual([]);
  });
});
