"""Tokens per expert, layer by layer, from Megatron's tokens_per_expert/rank*.jsonl: how uneven, how many dead, which rank.

Usage: python tokens-per-expert.py SAVE_DIR [RANK ...]
Give the ranks of one expert-parallel group and one pipeline stage, else each expert is counted once per replica.
"""
import glob
import json
import os
import sys
from collections import defaultdict


def read(folder, ranks):
    """(iteration, block, mtp layer, layer) -> {rank: tokens of each of its local experts}"""
    layers = defaultdict(dict)
    for path in glob.glob(os.path.join(folder, "tokens_per_expert", "rank*.jsonl")):
        rank = int(os.path.basename(path)[4:-6])
        if ranks and rank not in ranks:
            continue
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                key = row["iter"], row["block"], row.get("mtp_idx"), row["layer"]
                layers[key][rank] = [sum(counts) for counts in zip(*row["tpe"])]
    return layers


def main(folder, ranks):
    layers = read(folder, ranks)
    if not layers:
        sys.exit(f"no tokens_per_expert/rank*.jsonl in {folder}: was --save-tokens-per-expert-interval set?")
    worst = None
    for (step, block, _, layer), by_rank in sorted(layers.items(), key=str):
        counts = [n for rank in sorted(by_rank) for n in by_rank[rank]]
        mean = sum(counts) / len(counts)
        if mean == 0:
            continue
        hot = max(by_rank, key=lambda rank: sum(by_rank[rank]))
        rank_mean = sum(counts) / len(by_rank)
        dead = sum(n < 0.01 * mean for n in counts)
        print(
            f"iter {step} {block} layer {layer}: max/mean {max(counts) / mean:.2f} min/mean {min(counts) / mean:.2f}"
            f" dead {dead} | expert {counts.index(max(counts))} is the fullest"
            f" | rank {hot} has {sum(by_rank[hot]) / rank_mean:.2f} x mean rank load"
        )
        if worst is None or max(counts) / mean > worst[0]:
            worst = max(counts) / mean, step, layer, counts, by_rank
    if worst:
        # Whole, so that whoever reads the paste can count for themselves.
        _, step, layer, counts, by_rank = worst
        print(f"\nthe most uneven, iter {step}:")
        print(f"layer {layer} tokens_per_expert: {counts}")
        for rank in sorted(by_rank):
            print(f"rank {rank}: {sum(by_rank[rank])} tokens")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], {int(rank) for rank in sys.argv[2:]})
