import tarfile
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

SCRATCH = Path("/local/scratch/tiles")


def stage_in(archive):
    SCRATCH.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        tar.extractall(SCRATCH)


class TileSet(Dataset):
    def __init__(self):
        self.files = sorted(SCRATCH.glob("*.npy"))
        self.labels = np.load(SCRATCH / "labels.npz")["y"]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        tile = np.load(self.files[index])
        return torch.from_numpy(tile).float(), int(self.labels[index])
