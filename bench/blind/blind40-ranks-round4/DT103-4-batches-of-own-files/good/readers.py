from pathlib import Path

import torch


class FileBatches:
    """All rows of this rank's files in batches."""

    def __init__(self, root, rank, world, batch):
        self.files = sorted(Path(root).glob("*.pt"))[rank::world]
        self.batch = batch

    def __iter__(self):
        for path in self.files:
            x, y = torch.load(path, map_location="cpu", weights_only=True)
            for at in range(0, len(x) - self.batch + 1, self.batch):
                yield x[at : at + self.batch], y[at : at + self.batch]
