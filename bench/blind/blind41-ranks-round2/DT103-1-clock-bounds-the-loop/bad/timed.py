import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def endless(loader, sampler):
    epoch = 0
    while True:
        sampler.set_epoch(epoch)
        yield from loader
        epoch += 1


class Budget:
    def __init__(self, minutes, device):
        self.end = time.monotonic() + 60 * minutes
        self.device = device

    def left(self):
        return time.monotonic() < self.end


def main(minutes=20):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(1)
    model = DDP(nn.Sequential(nn.Linear(20, 60), nn.ReLU(), nn.Linear(60, 20)).to(device))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(4000, 20, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    batches = endless(DataLoader(data, batch_size=40, sampler=sampler, drop_last=True), sampler)
    budget = Budget(minutes, device)
    steps = 0
    while budget.left():
        (x,) = next(batches)
        x = x.to(device)
        loss = (model(x) - x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        steps += 1
    if dist.get_rank() == 0:
        print("steps", steps)
        torch.save(model.module.state_dict(), "auto.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
