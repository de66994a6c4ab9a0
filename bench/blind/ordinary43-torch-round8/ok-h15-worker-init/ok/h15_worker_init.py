import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def toy(n=3200):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 8, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def start():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return dist.get_rank(), dist.get_world_size(), local


import random

import numpy as np


class Augmented(torch.utils.data.Dataset):
    def __init__(self, inner):
        self.inner = inner

    def __len__(self):
        return len(self.inner)

    def __getitem__(self, i):
        x, y = self.inner[i]
        return x + 0.1 * torch.from_numpy(np.random.randn(8).astype(np.float32)) * random.random(), y


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


def main():
    rank, world, local = start()
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 1).cuda(), device_ids=[local])
    data = Augmented(toy())
    sampler = DistributedSampler(data, seed=5)
    g = torch.Generator()
    g.manual_seed(1000 + rank)
    loader = DataLoader(data, 32, sampler=sampler, num_workers=4, worker_init_fn=seed_worker, generator=g, persistent_workers=True)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
