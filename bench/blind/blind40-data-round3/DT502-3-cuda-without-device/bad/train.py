import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def begin():
    dist.init_process_group(backend="nccl", init_method="env://")
    torch.backends.cudnn.benchmark = True
    return dist.get_rank(), dist.get_world_size()


def batches(world, rank, size=128):
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(20_000, 3, 8, 8, generator=gen)
    data = TensorDataset(x, x.mean((1, 2, 3)).gt(0).long())
    sampler = DistributedSampler(data, world, rank, shuffle=True, drop_last=True)
    return DataLoader(data, size, sampler=sampler, drop_last=True, pin_memory=True), sampler


def main(epochs=4):
    rank, world = begin()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 36, 2))
    net = net.cuda()
    model = DistributedDataParallel(net)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loader, sampler = batches(world, rank)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "conv.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
