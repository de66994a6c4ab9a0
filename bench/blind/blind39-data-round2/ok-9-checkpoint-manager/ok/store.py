import os
from pathlib import Path

import torch
import torch.distributed as dist


class Store:
    def __init__(self, root, keep=2):
        self.root = Path(root)
        self.root.mkdir(parents=True, exist_ok=True)
        self.keep = keep
        self.best = float("inf")

    @property
    def lead(self):
        return dist.get_rank() == 0

    def _replace(self, payload, name):
        partial = self.root / f".{name}.partial"
        torch.save(payload, partial)
        os.replace(partial, self.root / name)

    def _prune(self):
        for old in sorted(self.root.glob("epoch_*.pt"))[: -self.keep]:
            old.unlink(missing_ok=True)

    def keep_epoch(self, payload, epoch, score):
        better = score < self.best
        self.best = min(self.best, score)
        if self.lead:
            self._replace(payload, f"epoch_{epoch:03d}.pt")
            if better:
                self._replace(payload, "best.pt")
            self._prune()
        dist.barrier()

    def load_best(self, device):
        return torch.load(self.root / "best.pt", map_location=device, weights_only=True)
