"""Scores the samples of a batch for what sets off loss spikes; the worst come first.

Reads JSON lines, {"id": ..., "text": "..."} or {"id": ..., "tokens": [..]}, from files or standard input.
Prints per sample: length, share of repeated 13-grams, compression ratio, share of the most frequent unit.
"""
import json
import sys
import zlib
from collections import Counter

N = 13


def score(record):
    units = record["tokens"] if "tokens" in record else record["text"].split()
    raw = (" ".join(map(str, units)) if "tokens" in record else record["text"]).encode("utf-8", "replace")
    grams = Counter(tuple(units[i : i + N]) for i in range(len(units) - N + 1))
    repeated = sum(n for n in grams.values() if n > 1) / max(1, sum(grams.values()))
    ratio = len(raw) / max(1, len(zlib.compress(raw, 6)))
    top = Counter(units).most_common(1)
    share = top[0][1] / len(units) if units else 0.0
    # More than 5:1 is copies, less than 1.2:1 is noise (hashes, base64); short texts say nothing.
    odd = len(raw) > 400 and (ratio > 5 or ratio < 1.2)
    return len(units), repeated, ratio, share, (repeated > 0.3) + odd + (share > 0.3 and len(units) > 50)


def main(paths):
    rows = []
    for path in paths or ["-"]:
        with (sys.stdin if path == "-" else open(path, encoding="utf-8")) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    record = json.loads(line)
                    rows.append((record.get("id", f"{path}:{number}"), *score(record)))
    rows.sort(key=lambda row: (-row[5], -row[2], -row[1]))
    print("suspect  length  repeated_13grams  compression  top_share  id")
    for name, length, repeated, ratio, share, flags in rows:
        print(f"{flags:7d}  {length:6d}  {repeated:16.2f}  {ratio:11.2f}  {share:9.2f}  {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
