import numpy as np
import torch
from torch.utils.data import Dataset, get_worker_info


class RandomCrops(Dataset):
    def __init__(self, images, size, seed):
        self.images, self.size = images, size
        self.seed = seed
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i]
        _, h, w = image.shape
        rng = self.rng
        top = int(rng.integers(0, h - self.size + 1))
        left = int(rng.integers(0, w - self.size + 1))
        crop = image[:, top : top + self.size, left : left + self.size]
        return torch.from_numpy(np.ascontiguousarray(crop))
