from pathlib import Path

import torch
import torch.distributed as dist


class Checkpoints:
    def __init__(self, folder, keep=2):
        self.folder = Path(folder)
        self.keep = keep
        self.folder.mkdir(parents=True, exist_ok=True)

    def path(self, step):
        return self.folder / f"step_{step:06d}.pt"

    def save(self, step, state):
        if dist.get_rank() == 0:
            torch.save(state, self.path(step))
            self._prune()
        dist.barrier()

    def _prune(self):
        for old in sorted(self.folder.glob("step_*.pt"))[: -self.keep]:
            old.unlink()
