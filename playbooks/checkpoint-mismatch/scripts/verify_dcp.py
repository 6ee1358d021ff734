"""Is a torch.distributed.checkpoint (or Megatron torch_dist) directory whole?  python verify_dcp.py DIR

Reads .metadata only: seconds, no GPU, no memory for the weights. Finds missing and truncated shards and tensors whose
pieces do not cover them. It cannot find a flipped bit: that takes checksums made at save time.
"""

import math
import os
import sys

from torch.distributed.checkpoint import FileSystemReader


def problems(directory, metadata):
    for index, info in metadata.storage_data.items():  # every piece that was written
        path = os.path.join(directory, info.relative_path)
        if not os.path.exists(path):
            yield ("missing file", info.relative_path)
        elif info.offset + info.length > os.path.getsize(path):
            yield ("truncated", info.relative_path, index.fqn)
    for name, entry in metadata.state_dict_metadata.items():  # the pieces must tile the whole tensor
        if hasattr(entry, "chunks"):
            covered = sum(math.prod(chunk.sizes) for chunk in entry.chunks)
            if covered != math.prod(entry.size):
                yield ("not covered", name)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python verify_dcp.py DIR   (the folder that holds .metadata)")
    directory = sys.argv[1]
    if not os.path.exists(os.path.join(directory, ".metadata")):
        sys.exit(f"{directory} has no .metadata: the save did not finish, or this is another format")
    metadata = FileSystemReader(directory).read_metadata()
    bad = list(dict.fromkeys(problems(directory, metadata)))
    print(len(metadata.state_dict_metadata), "keys;", bad or "OK")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
