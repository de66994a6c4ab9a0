import shutil
from pathlib import Path

import torch
import torch.distributed as dist


class Parts:
    """One file per rank in a folder that the lead makes anew."""

    def __init__(self, root, rank):
        self.root, self.rank = Path(root), rank

    def open(self):
        if self.rank == 0:
            shutil.rmtree(self.root, ignore_errors=True)
            self.root.mkdir(parents=True)

    def write(self, tensors):
        torch.save(tensors, self.root / f"part{self.rank:04d}.pt")
        dist.barrier()

    def read_all(self):
        return [torch.load(p, map_location="cpu") for p in sorted(self.root.glob("part*.pt"))]
