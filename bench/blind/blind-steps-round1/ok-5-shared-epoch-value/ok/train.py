import os
from multiprocessing import Value

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class SharedEpoch:
    def __init__(self, epoch: int = 0):
        self._value = Value("i", epoch)

    def set(self, epoch: int) -> None:
        self._value.value = epoch

    def get(self) -> int:
        return self._value.value


class Masked(Dataset):
    def __init__(self, epoch: SharedEpoch, n: int = 512, dim: int = 24):
        self.epoch = epoch
        self.x = torch.randn(n, dim, generator=torch.Generator().manual_seed(0))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        rng = np.random.default_rng((self.epoch.get(), i))
        keep = torch.from_numpy(rng.random(self.x.shape[1]) > 0.3)
        return self.x[i] * keep, self.x[i]


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    epoch_value = SharedEpoch()
    data = Masked(epoch_value)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, num_workers=2, persistent_workers=True, drop_last=True)
    model = DistributedDataParallel(nn.Linear(24, 24))
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        sampler.set_epoch(epoch)
        epoch_value.set(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
