import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import losses

WINDOW = 8


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.label, self.back = nn.Linear(6, 16), nn.Linear(16, 3), nn.Linear(16, 6)

    def forward(self, x):
        h = self.body(x).relu()
        return self.label(h), self.back(h)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(512, 6), torch.randint(0, 3, (512,)))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 8, sampler=sampler)
    model = DistributedDataParallel(Net())
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for i, (x, y) in enumerate(loader):
            last = (i + 1) % WINDOW == 0 or i + 1 == len(loader)
            with contextlib.nullcontext() if last else model.no_sync():
                losses.total(losses.parts(model, x, y), WINDOW).backward()
            if last:
                optimizer.step()
                optimizer.zero_grad()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
