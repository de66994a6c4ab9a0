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


import torchmetrics


class Quantile(torchmetrics.Metric):
    full_state_update = False

    def __init__(self, q):
        super().__init__()
        self.q = q
        self.add_state("values", default=[], dist_reduce_fx="cat")

    def update(self, errors):
        self.values.append(errors.detach().flatten())

    def compute(self):
        values = torch.cat(self.values) if isinstance(self.values, list) else self.values
        return values.quantile(self.q)


def main():
    rank, world, local = start()
    data, held = toy(), toy(640)
    sampler = DistributedSampler(data)
    model = DDP(nn.Linear(8, 1).cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    metric = Quantile(0.9).cuda()
    best = float("inf")
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, 32, sampler=sampler):
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            for x, y in DataLoader(held, 32, sampler=DistributedSampler(held, shuffle=False)):
                metric.update((model.module(x.cuda()) - y.cuda()).abs())
        if rank == 0:
            value = metric.compute().item()
            metric.reset()
        if rank == 0 and value < best:
            best = value
            if rank == 0:
                print(epoch, value)
                torch.save(model.module.state_dict(), "quantile.pt")

    dist.destroy_process_group()


if __name__ == "__main__":
    main()
