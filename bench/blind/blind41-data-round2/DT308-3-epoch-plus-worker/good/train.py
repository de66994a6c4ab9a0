import functools
import random

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Spectra(Dataset):
    def __init__(self, n=8192):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        base = np.sin(np.arange(128) * (1 + i % 9) / 10)
        noisy = base + random.gauss(0, 0.1) + np.random.normal(0, 0.05, 128)
        return torch.from_numpy(noisy.astype(np.float32)), i % 9


def init_worker(worker_id, *, seed, epoch, rank, workers):
    value = seed + 100_000 * rank + epoch * workers + worker_id
    random.seed(value)
    np.random.seed(value)


def main(seed=7, workers=4, epochs=5):
    dist.init_process_group("gloo")
    torch.manual_seed(seed)
    data = Spectra()
    sampler = DistributedSampler(data, seed=seed)
    model = DDP(nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 9)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        fn = functools.partial(init_worker, seed=seed, epoch=epoch, rank=dist.get_rank(), workers=workers)
        loader = DataLoader(data, batch_size=64, sampler=sampler, num_workers=workers, worker_init_fn=fn, drop_last=True)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
