from pathlib import Path

import torch
import torch.distributed as dist


class FileFlag:
    """`touch STOP` ends the training after the epoch."""

    def __init__(self, path="STOP"):
        self.path = Path(path)

    def __bool__(self):
        return self.path.exists()


def any_rank(flag, device):
    seen = torch.tensor(int(bool(flag)), device=device)
    dist.all_reduce(seen, op=dist.ReduceOp.MAX)
    return seen.item() > 0
