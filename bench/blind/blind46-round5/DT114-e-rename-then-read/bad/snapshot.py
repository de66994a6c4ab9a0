import os
from pathlib import Path

import torch
import torch.distributed as dist


def publish(state, path: Path):
    if dist.get_rank() == 0:
        part = path.with_suffix(".part")
        torch.save(state, part)
        os.replace(part, path)


def reload(path: Path, module):
    module.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return module
