import shutil
from pathlib import Path

import torch


class Keeper:
    def __init__(self, folder, keep, writer):
        self.folder = Path(folder)
        self.keep = keep
        self.writer = writer

    def __call__(self, step, **parts):
        if self.writer:
            target = self.folder / f"step-{step:07d}"
            target.mkdir(parents=True, exist_ok=True)
            for name, part in parts.items():
                torch.save(part.state_dict(), target / f"{name}.pt")
        self.prune()

    def prune(self):
        for old in sorted(self.folder.glob("step-*"))[: -self.keep]:
            shutil.rmtree(old)
