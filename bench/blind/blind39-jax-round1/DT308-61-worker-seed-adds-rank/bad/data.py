import functools

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Waveforms(Dataset):
    def __init__(self, path, length=16000):
        self.clips = np.load(path, mmap_mode="r")
        self.length = length
        self.rng = np.random.default_rng(0)

    def reseed(self, seed):
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, index):
        clip = np.array(self.clips[index], dtype=np.float32)
        shift = int(self.rng.integers(0, len(clip) - self.length))
        gain = self.rng.uniform(0.7, 1.3)
        return torch.from_numpy(clip[shift : shift + self.length] * gain)


def seed_worker(worker_id, *, base, rank, workers):
    seed = base + rank + worker_id
    torch.utils.data.get_worker_info().dataset.reseed(seed)


def make_loader(path, cfg, rank, world):
    dataset = Waveforms(path)
    sampler = DistributedSampler(dataset, num_replicas=world, rank=rank, drop_last=True)
    loader = DataLoader(
        dataset,
        batch_size=cfg["batch_size"],
        sampler=sampler,
        num_workers=cfg["workers"],
        drop_last=True,
        worker_init_fn=functools.partial(seed_worker, base=cfg["seed"], rank=rank, workers=cfg["workers"]),
    )
    return loader, sampler
