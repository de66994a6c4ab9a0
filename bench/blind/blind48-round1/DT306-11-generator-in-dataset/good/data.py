import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler
from torch.utils.data import get_worker_info


class Crops(Dataset):
    def __init__(self, n=512, length=128, crop=64, seed=0):
        self.signal = np.random.default_rng(seed).normal(size=(n, length)).astype(np.float32)
        self.crop = crop
        self.rng = np.random.default_rng(seed + 1)

    def __len__(self):
        return len(self.signal)

    def __getitem__(self, i):
        lo = self.rng.integers(0, self.signal.shape[1] - self.crop)
        piece = torch.from_numpy(self.signal[i, lo : lo + self.crop])
        return piece, piece.mean()[None]


def reseed(worker_id):
    info = get_worker_info()
    info.dataset.rng = np.random.default_rng(info.seed)


def loaders(batch_size):
    ds = Crops()
    sampler = DistributedSampler(ds, drop_last=True)
    return DataLoader(
        ds, batch_size=batch_size, sampler=sampler, num_workers=4, drop_last=True, worker_init_fn=reseed
    ), sampler
