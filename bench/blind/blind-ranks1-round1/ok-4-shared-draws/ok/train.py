import os
import random

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Rng:
    """`common` is the same everywhere, `own` belongs to this rank."""

    def __init__(self, seed, rank):
        self.common = random.Random(seed)
        self.own = np.random.default_rng([seed, rank])

    def coin(self, p):
        return self.common.random() < p

    def noise(self, like):
        return torch.from_numpy(self.own.normal(size=tuple(like.shape))).to(like)


def whiten(z):
    """Subtracts the mean over the global batch."""
    total = torch.cat([z.detach().sum(0), torch.tensor([float(len(z))], device=z.device)])
    dist.all_reduce(total)
    return z - total[:-1] / total[-1]


def main(seed=77):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(seed)
    model = DDP(nn.Linear(9, 9).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    rng = Rng(seed, rank)
    data = TensorDataset(torch.randn(256, 9, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            z = model(x + 0.1 * rng.noise(x))
            if rng.coin(0.25):
                z = whiten(z)
            optimizer.zero_grad()
            (z - x).square().mean().backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
