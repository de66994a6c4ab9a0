from pathlib import Path

import torch


class Rotation:
    """The newest `keep` checkpoints of a directory that all nodes see."""

    def __init__(self, root, keep, rank):
        self.root, self.keep, self.rank = Path(root), keep, rank
        self.root.mkdir(parents=True, exist_ok=True)

    def _prune(self):
        files = sorted(self.root.glob("step*.pt"), key=lambda p: int(p.stem[4:]))
        for path in files[: -self.keep]:
            path.unlink()

    def push(self, step, state):
        if self.rank == 0:
            torch.save(state, self.root / f"step{step}.pt")
        self._prune()
