import random

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Encoder(nn.Module):
    def __init__(self, width=32, depth=4, drop=0.2):
        super().__init__()
        self.drop = drop
        self.inp = nn.Linear(10, width)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.out = nn.Linear(width, 2)

    def forward(self, x):
        x = self.inp(x)
        for layer in self.layers:
            if self.training and random.random() < self.drop:
                continue
            x = x + F.relu(layer(x))
        return self.out(x)


def main(epochs=2):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(3200, 10)
    data = TensorDataset(x, x[:, :2].argmax(1))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    model = DDP(Encoder(), find_unused_parameters=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(xb), yb).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
