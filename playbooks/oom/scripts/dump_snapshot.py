"""Record where GPU memory goes and keep a picture of it when it runs out.

Import before the model is built, wrap the steps, run with the failing rank's data:

    from dump_snapshot import record_memory

    with record_memory():
        train_steps()

Each rank that runs out of memory leaves oom_rank<N>.pickle in the working directory.
"""

import contextlib
import os

import torch


@contextlib.contextmanager
def record_memory(max_entries: int = 100_000, folder: str = "."):
    # Without a limit the history itself eats the memory of the host.
    torch.cuda.memory._record_memory_history(max_entries=max_entries)
    try:
        yield
    except torch.cuda.OutOfMemoryError:
        rank = os.environ.get("RANK", "0")
        torch.cuda.memory._dump_snapshot(os.path.join(folder, f"oom_rank{rank}.pickle"))
        raise
    finally:
        torch.cuda.memory._record_memory_history(enabled=None)
