import os
from pathlib import Path

import torch


class SnapshotStore:
    def __init__(self, root, keep=3):
        self.root = Path(root)
        self.keep = keep

    def path(self, step):
        return self.root / f"step{step:08d}.pt"

    def newest(self):
        steps = sorted(self.root.glob("step*.pt"))
        return steps[-1] if steps else None

    def write(self, step, model, optimizer, scheduler):
        self.root.mkdir(parents=True, exist_ok=True)
        state = {
            "step": step,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
        }
        part = self.path(step).with_suffix(".part")
        torch.save(state, part)
        os.replace(part, self.path(step))
        for old in sorted(self.root.glob("step*.pt"))[: -self.keep]:
            old.unlink()


def load_snapshot(path, model, optimizer, scheduler, map_location=None):
    state = torch.load(path)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    return state["step"]
