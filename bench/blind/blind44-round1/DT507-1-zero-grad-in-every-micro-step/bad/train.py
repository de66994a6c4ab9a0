import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from window import Window


class Task:
    def __init__(self, device):
        self.device = device

    def loss(self, model, batch):
        x, y = (t.to(self.device) for t in batch)
        return nn.functional.smooth_l1_loss(model(x), y)


class Loop:
    def __init__(self, model, task, optimizer, window, clip=1.0):
        self.model, self.task, self.optimizer = model, task, optimizer
        self.window, self.clip = window, clip

    def micro(self, index, batch):
        self.optimizer.zero_grad(set_to_none=True)
        with self.window.sync(self.model, index):
            (self.task.loss(self.model, batch) / self.window.size).backward()

    def epoch(self, loader):
        for index, batch in enumerate(loader):
            self.micro(index, batch)
            if self.window.closes(index):
                nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
                self.optimizer.step()


def main(epochs=2):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(1)
    model = DDP(nn.Linear(14, 2).to(device), device_ids=[device.index] if cuda else None)
    x = torch.randn(1024, 14, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x[:, :2] * 2)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 8, sampler=sampler, drop_last=True)
    loop = Loop(model, Task(device), torch.optim.AdamW(model.parameters(), 1e-3), Window(4))
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        loop.epoch(loader)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
