import numpy as np
import torch
from torch.utils.data import Dataset, get_worker_info


class Crops(Dataset):
    """Random crops; the generator is made in the worker, on first use."""

    def __init__(self, images, size, seed, rank):
        self.images = images
        self.size = size
        self.base = (seed, rank)
        self._draw = None

    @property
    def draw(self):
        if self._draw is None:
            info = get_worker_info()
            self._draw = np.random.default_rng([*self.base, info.id if info else 0, torch.initial_seed() % 2**31])
        return self._draw

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        top, left = self.draw.integers(0, image.shape[-1] - self.size, size=2)
        return image[:, top : top + self.size, left : left + self.size]
