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
    verdict = [verify(root) if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(verdict, src=0)
    if verdict[0]:
        raise ManifestError(f"{len(verdict[0])} files of {root} are damaged")
    return sorted(root.glob("part-*.pt"))
