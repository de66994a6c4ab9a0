import os
import shutil

import torch
import torch.distributed as dist


class Rotation:
    """Keeps the newest checkpoints."""

    def __init__(self, folder, keep):
        self.folder, self.keep = folder, keep
        self.saved = []
        self.lead = dist.get_rank() == 0

    def save(self, model, step):
        path = os.path.join(self.folder, f"step{step}")
        if self.lead:
            os.makedirs(path, exist_ok=True)
            torch.save(model.state_dict(), os.path.join(path, "model.pt"))
            self.saved.append(path)
        if len(self.saved) > self.keep:
            self.drop_oldest()

    def drop_oldest(self):
        dist.barrier()
        oldest = self.saved.pop(0)
        if self.lead:
            shutil.rmtree(oldest)
