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


import contextlib


class Accumulator:
    def __init__(self, model, optimizer, every):
        self.model, self.optimizer, self.every, self.count = model, optimizer, every, 0

    @property
    def last(self):
        return (self.count + 1) % self.every == 0

    @contextlib.contextmanager
    def step(self):
        with contextlib.ExitStack() as stack:
            if not self.last:
                stack.enter_context(self.model.no_sync())
            yield self
        self.count += 1
        if self.count % self.every == 0:
            self.optimizer.step()
            self.optimizer.zero_grad()


def main():
    rank, world, local = start()
    model = DDP(nn.Linear(8, 1).cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data = toy()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 10, sampler=sampler, drop_last=True)
    accumulator = Accumulator(model, optimizer, 4)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for x, y in loader:
            with accumulator.step():
                loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
                (loss / accumulator.every).backward()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
