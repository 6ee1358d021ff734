"""Bandwidth of pairs of nodes, so that a slow one shows itself.  python3 link-matrix.py [OPTIONS] NODE NODE [NODE ...]

In each round every node is in one pair, and all pairs of a round run at once; in the next round everyone has another
partner. A node that is slow with two partners is the slow one. Nothing else may run on these nodes meanwhile.

  --rounds N     rounds of pairs (default 2; all of them: number of nodes - 1)
  --run COMMAND  what to run for a pair, with {a} and {b} in it; default:
                 mpirun -np 16 -N 8 -H {a}:8,{b}:8 ./build/all_reduce_perf -b 1G -e 1G -f 2 -g 1 -n 20
  --timeout S    seconds for one pair (default 300)
  --dry-run      print the commands only

Paste all of what it prints.
"""

import argparse
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

RUN = "mpirun -np 16 -N 8 -H {a}:8,{b}:8 ./build/all_reduce_perf -b 1G -e 1G -f 2 -g 1 -n 20"


def rounds_of(nodes):
    """Rounds of disjoint pairs in which everyone meets everyone once; with an odd number one node rests each round."""
    ring = list(nodes) + ([None] if len(nodes) % 2 else [])
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        yield [(a, b) for a, b in zip(ring[:half], reversed(ring[half:])) if a and b]
        ring.insert(1, ring.pop())


def measure(command, timeout):
    try:
        done = subprocess.run(
            shlex.split(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            timeout=timeout,
        )
        return done.stdout if done.returncode == 0 else f"{done.stdout}\nexit code {done.returncode}"
    except subprocess.TimeoutExpired as late:
        out = late.stdout or b""
        return f"{out.decode(errors='replace') if isinstance(out, bytes) else out}\nnot done after {timeout} s"
    except OSError as error:
        sys.exit(f"{command}: {error}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nodes", nargs="+", metavar="NODE")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--run", default=RUN, metavar="COMMAND")
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--dry-run", action="store_true")
    given = parser.parse_args()
    nodes = list(dict.fromkeys(given.nodes))
    if len(nodes) < 2:
        parser.error("two nodes at least")
    if "{a}" not in given.run or "{b}" not in given.run:
        parser.error("--run needs {a} and {b}, the two nodes of a pair")
    for pairs in list(rounds_of(nodes))[: given.rounds]:
        commands = [given.run.replace("{a}", a).replace("{b}", b) for a, b in pairs]
        if given.dry_run:
            print("\n".join(commands))
            continue
        with ThreadPoolExecutor(len(pairs)) as pool:
            outputs = list(pool.map(lambda command: measure(command, given.timeout), commands))
        for (a, b), output in zip(pairs, outputs):
            print(f"=== {a} {b} ===\n{output.strip()}\n", flush=True)


if __name__ == "__main__":
    main()
