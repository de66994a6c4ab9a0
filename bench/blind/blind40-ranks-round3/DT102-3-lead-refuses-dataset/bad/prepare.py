import hashlib
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist


class ManifestError(Exception):
    pass


def digest(path):
    return hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()


def verify(root):
    wanted = json.loads((root / "manifest.json").read_text())
    return [name for name, value in wanted.items() if digest(root / name) != value]


def prepared(root):
    root = Path(root)
    if dist.get_rank() == 0:
        broken = verify(root)
        if broken:
            raise ManifestError(f"{len(broken)} files of {root} are damaged")
    dist.barrier()
    return sorted(root.glob("part-*.pt"))
