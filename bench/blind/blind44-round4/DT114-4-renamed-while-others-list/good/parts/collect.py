import os
import pathlib

import torch


class Parts:
    def __init__(self, root):
        self.tmp, self.out = pathlib.Path(root) / "tmp", pathlib.Path(root) / "parts"
        self.tmp.mkdir(parents=True, exist_ok=True)

    def write(self, rank, rows):
        torch.save(rows, self.tmp / f"{rank:05d}.pt")

    def publish(self):
        os.replace(self.tmp, self.out)

    def all(self):
        return [torch.load(p, map_location="cpu", weights_only=True) for p in sorted(self.out.iterdir())]
