import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from blocks import Net


def build(rank):
    torch.manual_seed(0)
    net = Net(12, 4)
    override = os.environ.get("HEAD")
    if override:
        net.use_head(override, 12, 4)
    if override and rank == 0:
        print("head:", override)
    return DistributedDataParallel(net)


def main():
    dist.init_process_group("gloo")
    model = build(dist.get_rank())
    x = torch.randn(160, 12)
    data = TensorDataset(x, torch.randint(0, 4, (160,)))
    sampler = DistributedSampler(data)
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in DataLoader(data, 16, sampler=sampler):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(a), b).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
