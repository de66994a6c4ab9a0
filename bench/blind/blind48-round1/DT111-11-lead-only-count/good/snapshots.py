import shutil
from pathlib import Path

import torch
import torch.distributed as dist


class Snapshots:
    def __init__(self, root, keep=2):
        self.root, self.keep = Path(root), keep
        self.is_lead = dist.get_rank() == 0
        self.written = 0
        if self.is_lead:
            self.root.mkdir(parents=True, exist_ok=True)

    def path(self, epoch):
        return self.root / f"epoch{epoch:03d}.pt"

    def after_epoch(self, model, epoch):
        if self.is_lead:
            torch.save(model.module.state_dict(), self.path(epoch))
        self.written += 1
        if self.written > self.keep:
            dist.barrier()
            if self.is_lead:
                self.path(epoch - self.keep).unlink(missing_ok=True)
