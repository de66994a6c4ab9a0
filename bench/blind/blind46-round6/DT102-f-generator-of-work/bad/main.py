import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from schedule import work


class Task:
    def __init__(self, device):
        self.device = device
        torch.manual_seed(0)
        self.model = DDP(nn.Linear(6, 1).to(device), device_ids=[device.index] if device.type == "cuda" else None)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)
        x = torch.randn(384, 6, generator=torch.Generator().manual_seed(1))
        data = TensorDataset(x, x.sum(1, keepdim=True))
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, batch_size=16, sampler=self.sampler, drop_last=True)

    def train(self, epoch):
        self.sampler.set_epoch(epoch)
        for x, y in self.loader:
            self.optimizer.zero_grad(set_to_none=True)
            F.mse_loss(self.model(x.to(self.device)), y.to(self.device)).backward()
            self.optimizer.step()

    @torch.no_grad()
    def eval(self, epoch):
        err = torch.zeros(2, device=self.device)
        for x, y in self.loader:
            err[0] += F.mse_loss(self.model.module(x.to(self.device)), y.to(self.device), reduction="sum")
            err[1] += len(x)
        dist.all_reduce(err)
        return (err[0] / err[1]).item()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    task = Task(torch.device("cuda", local_rank) if cuda else torch.device("cpu"))
    for name, epoch in work(epochs=6, every=2):
        getattr(task, name)(epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
