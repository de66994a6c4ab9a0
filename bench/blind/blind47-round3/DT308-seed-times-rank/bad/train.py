import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from seeding import Purpose, seed_everything, seed_for


def main(base=int(os.environ.get("SEED", "0"))):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    seed_everything(seed_for(Purpose.MODEL, base, rank))
    data = TensorDataset(torch.randn(256, 4))
    model = DistributedDataParallel(nn.Linear(4, 4))
    seed_everything(seed_for(Purpose.AUGMENT, base, rank))
    sampler = DistributedSampler(data, seed=base)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in DataLoader(data, 16, sampler=sampler):
            noisy = x + 0.1 * torch.randn_like(x)
            optimizer.zero_grad()
            (model(noisy) - x).square().mean().backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
