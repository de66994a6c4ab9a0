from pathlib import Path

import torch


class Checkpoints:
    def __init__(self, folder):
        self.folder = Path(folder)

    def latest(self):
        found = sorted(self.folder.glob("step_*.pt"))
        return found[-1] if found else None

    def save(self, step, model, optimizer):
        self.folder.mkdir(parents=True, exist_ok=True)
        torch.save(
            {"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()},
            self.folder / f"step_{step:08d}.pt",
        )

    def load(self, model, optimizer, map_location=None):
        path = self.latest()
        if path is None:
            return 0
        state = torch.load(path, map_location=map_location, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        return state["step"]
