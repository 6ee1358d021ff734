"""Model FLOPs utilisation (MFU) of a training step: the model's work over what the cards could do in that time.

python3 mfu.py --params 32B --layers 64 --hidden 5120 --seq 4096 --tokens 4194304 --step-s 8.6 --gpus 256 --gpu H100

--params are those one token uses (for experts: shared ones and top-k, not all). A token takes 6 x params for the matrices,
forward and backward, and 12 x layers x hidden x seq for attention scores (PaLM, appendix B); recomputation does not count.
"""
import argparse

# Dense bf16, TFLOP/s, as the vendors' data sheets give them.
PEAK = {"A100": 312, "A800": 312, "H100": 989, "H800": 989, "H200": 989, "H20": 148, "H100-PCIE": 756, "B200": 2250,
        "L40S": 362, "MI300X": 1307}
UNITS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


def number(text: str) -> float:
    unit = UNITS.get(text[-1:].upper())
    return float(text[:-1]) * unit if unit else float(text)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("params", "layers", "hidden", "seq", "tokens", "step-s", "gpus"):
        parser.add_argument(f"--{name}", type=number, required=True)
    parser.add_argument("--gpu", default="H100", type=str.upper, choices=sorted(PEAK))
    parser.add_argument("--peak", type=float, help="TFLOP/s of a card that is not in the list")
    given = parser.parse_args()
    peak = given.peak or PEAK[given.gpu]
    per_token = 6 * given.params + 12 * given.layers * given.hidden * given.seq
    achieved = per_token * given.tokens / given.step_s / given.gpus / 1e12
    print(f"per token:   {per_token / 1e9:.1f} GFLOP (6 x {given.params / 1e9:g}B"
          f" + 12 x {given.layers:g} x {given.hidden:g} x {given.seq:g})")
    print(f"per GPU:     {achieved:.1f} of {peak:g} TFLOP/s")
    print(f"MFU:         {100 * achieved / peak:.1f} %")
    print("usual:       35 to 45 % dense on A100, H100 and H800; 20 to 35 % with experts; less below 1B or above 16k tokens of context")


main()
