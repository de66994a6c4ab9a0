import os
from contextlib import nullcontext

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class MeanLoss:
    def __init__(self):
        self.last = None

    def __call__(self, loss):
        value = loss.detach().clone()
        dist.all_reduce(value)
        self.last = value.item() / dist.get_world_size()


class Printer:
    def __init__(self, source, file):
        self.source, self.file = source, file

    def __call__(self, loss):
        print(f"{self.source.last:.4f}", file=self.file)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    lead = dist.get_rank() == 0
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(12, 1).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    x = torch.randn(480, 12, generator=torch.Generator().manual_seed(4))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    with open("loss.txt", "w") if lead else nullcontext() as file:
        mean = MeanLoss()
        callbacks = [mean, *([Printer(mean, file)] if lead else [])]
        for epoch in range(2):
            sampler.set_epoch(epoch)
            for xb, yb in loader:
                loss = nn.functional.mse_loss(model(xb.to(device)), yb.to(device))
                opt.zero_grad()
                loss.backward()
                opt.step()
            for callback in callbacks:
                callback(loss)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
