"""Names and shapes inside a checkpoint, without loading it.  python list_keys.py PATH [OTHER]

PATH is a DCP or Megatron torch_dist directory, a directory of safetensors files, one .safetensors file, or a .pt/.bin
file (read with weights_only, so nothing in it is executed). With OTHER, only what differs is printed: "-" is only in
PATH, "+" only in OTHER, "~" has another shape in OTHER, the one that the model asks for.
"""

import json
import os
import struct
import sys


def from_safetensors(path):
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        if size > os.path.getsize(path):
            sys.exit(f"{path}: header of {size} bytes does not fit the file: not safetensors, or cut")
        header = json.loads(file.read(size))
    return {name: tuple(entry["shape"]) for name, entry in header.items() if name != "__metadata__"}


def from_dcp(directory):
    from torch.distributed.checkpoint import FileSystemReader

    entries = FileSystemReader(directory).read_metadata().state_dict_metadata
    return {name: tuple(entry.size) if hasattr(entry, "size") else ("bytes",) for name, entry in entries.items()}


def flatten(value, prefix=""):
    if hasattr(value, "shape"):
        yield prefix, tuple(value.shape)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from flatten(inner, f"{prefix}.{name}" if prefix else str(name))


def from_torch(path):
    import torch

    return dict(flatten(torch.load(path, map_location="meta", weights_only=True)))


def read(path):
    if os.path.isfile(path):
        return from_safetensors(path) if path.endswith(".safetensors") else from_torch(path)
    if os.path.exists(os.path.join(path, ".metadata")):
        return from_dcp(path)
    names = sorted(name for name in os.listdir(path) if name.endswith(".safetensors"))
    if not names:
        sys.exit(f"{path}: no .metadata and no .safetensors in it; name one file of it instead")
    keys = {}
    for name in names:
        keys.update(from_safetensors(os.path.join(path, name)))
    return keys


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python list_keys.py PATH [OTHER]")
    mine = read(sys.argv[1])
    if len(sys.argv) == 2:
        for name in sorted(mine):
            print(name, list(mine[name]))
        return
    other = read(sys.argv[2])
    for name in sorted(mine.keys() | other.keys()):
        if name not in other:
            print("-", name, list(mine[name]))
        elif name not in mine:
            print("+", name, list(other[name]))
        elif mine[name] != other[name]:
            print("~", name, "ckpt:", list(mine[name]), "vs model:", list(other[name]))
    print(len(mine), "keys against", len(other))


if __name__ == "__main__":
    main()
