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


def evaluate(model, loader, distributed=True):
    total = torch.zeros(2, device="cuda")
    with torch.no_grad():
        for x, y in loader:
            total[0] += (model(x.cuda()) - y.cuda()).abs().sum()
            total[1] += len(y)
    if distributed:
        dist.all_reduce(total)
    return (total[0] / total[1]).item()


def train(model, optimizer, loader):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    rank, world, local = start()
    data, held = toy(), toy(640)
    sampler = DistributedSampler(data)
    net = nn.Linear(8, 1).cuda()
    model = DDP(net, device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    shared = DataLoader(held, 32, sampler=DistributedSampler(held, shuffle=False))
    whole = DataLoader(held, 32)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        train(model, optimizer, DataLoader(data, 32, sampler=sampler))
        error = evaluate(net, shared)
        if rank == 0:
            print(epoch, error, evaluate(net, whole, distributed=False))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
