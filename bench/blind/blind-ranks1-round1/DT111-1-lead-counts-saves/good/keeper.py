from collections import deque
from pathlib import Path

import torch
import torch.distributed as dist


class CheckpointKeeper:
    """Saves from rank 0 and keeps the newest few."""

    def __init__(self, folder, keep, rank):
        self.folder = Path(folder)
        self.keep = keep
        self.rank = rank
        self.kept = deque()
        if rank == 0:
            self.folder.mkdir(parents=True, exist_ok=True)
        dist.barrier()

    def save(self, net, step):
        path = self.folder / f"step_{step:06d}.pt"
        if self.rank == 0:
            torch.save({"net": net.state_dict(), "step": step}, path)
        self.kept.append(path)
        self.prune()

    def prune(self):
        if len(self.kept) <= self.keep:
            return
        dist.barrier()  # nobody is reading the one that goes
        oldest = self.kept.popleft()
        if self.rank == 0:
            oldest.unlink(missing_ok=True)
