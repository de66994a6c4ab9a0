import os
from pathlib import Path

import numpy as np

NODE_DISK = Path(os.environ.get("NODE_DISK", "/scratch"))


class LineIndex:
    """Offsets of the lines of a text file, kept on the disk of the node."""

    def __init__(self, text, barrier):
        self.text = Path(text)
        self.path = NODE_DISK / f"{self.text.stem}.idx.npy"
        if int(os.environ["LOCAL_RANK"]) == 0:
            self._build()
        barrier()
        self.offsets = np.load(self.path, mmap_mode="r")

    def _build(self):
        offsets, at = [0], 0
        with self.text.open("rb") as f:
            for line in f:
                at += len(line)
                offsets.append(at)
        np.save(self.path, np.asarray(offsets))

    def __len__(self):
        return len(self.offsets) - 1

    def line(self, i):
        with self.text.open("rb") as f:
            f.seek(self.offsets[i])
            return f.read(self.offsets[i + 1] - self.offsets[i])
