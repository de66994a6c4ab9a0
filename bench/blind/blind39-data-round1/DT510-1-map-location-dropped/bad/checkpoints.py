from pathlib import Path

import torch


class Checkpoints:
    def __init__(self, root, keep=3):
        self.root = Path(root)
        self.keep = keep

    def _files(self):
        return sorted(self.root.glob("step_*.pt"))

    def write(self, step, **objects):
        self.root.mkdir(parents=True, exist_ok=True)
        torch.save({"step": step, **{k: o.state_dict() for k, o in objects.items()}}, self.root / f"step_{step:07d}.pt")
        for old in self._files()[: -self.keep]:
            old.unlink()

    def load(self, map_location=None, **objects):
        files = self._files()
        if not files:
            return 0
        state = torch.load(files[-1], weights_only=True)
        for name, thing in objects.items():
            thing.load_state_dict(state[name])
        return state["step"]
