"""Smallest and largest value of each whole-number column of a saved batch, next to the table it indexes.

python3 check_ids.py batch.pt config.json      batch.pt: torch.save(batch, "batch.pt") where the step fails
"""
import json
import sys

import torch

IGNORED = -100
TABLES = {"input_ids": "vocab_size", "labels": "vocab_size", "position_ids": "max_position_embeddings",
          "token_type_ids": "type_vocab_size"}


def main() -> None:
    batch = torch.load(sys.argv[1], map_location="cpu", weights_only=True)
    with open(sys.argv[2], encoding="utf-8") as file:
        config = json.load(file)
    for name, values in batch.items():
        if not torch.is_tensor(values) or values.is_floating_point() or values.numel() == 0:
            continue
        used = values[values != IGNORED] if name == "labels" else values
        if used.numel() == 0:
            print(f"{name}: every label is {IGNORED}")
            continue
        low, high = int(used.min()), int(used.max())
        rows = config.get(TABLES.get(name, ""))
        wrong = rows is not None and (low < 0 or high >= rows)
        print(f"{name}: {low} to {high}; rows {rows if rows is not None else 'not known'}{'  <-- OUT OF RANGE' if wrong else ''}")
    print(f"sequence length: {max(v.shape[-1] for v in batch.values() if torch.is_tensor(v) and v.dim() > 0)}; "
          f"positions {config.get('max_position_embeddings', 'not known')}")


main()
