"""Normalising flow on tabular data. srun ... torchrun --nnodes 2 --nproc-per-node 8 flow.py"""
import math

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from env import Env


class Coupling(nn.Module):
    def __init__(self, d, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(d // 2, 128), nn.ReLU(), nn.Linear(128, d))

    def forward(self, x):
        a, b = x.chunk(2, -1)
        if self.flip:
            a, b = b, a
        shift, log_scale = self.net(a).chunk(2, -1)
        log_scale = log_scale.tanh()
        b = b * log_scale.exp() + shift
        return torch.cat([b, a] if self.flip else [a, b], -1), log_scale.sum(-1)


class Flow(nn.Module):
    def __init__(self, d=16, depth=8):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(d, i % 2 == 1) for i in range(depth))

    def forward(self, x):
        log_det = 0.0
        for layer in self.layers:
            x, more = layer(x)
            log_det = log_det + more
        return (0.5 * (x**2 + math.log(2 * math.pi)).sum(-1) - log_det).mean()


def main(epochs=20):
    env = Env.start()
    data = TensorDataset(torch.load("table.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 1024, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    model = DDP(Flow().to(env.device), device_ids=[env.device])
    optimizer = torch.optim.Adam(model.parameters(), 5e-4)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            loss = model(x.to(env.device, non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if env.lead:
            torch.save(model.module.state_dict(), "flow.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
