"""Training with per-domain loss statistics, reduced at the end of each epoch."""
import os
from collections import defaultdict

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

DOMAINS = ("web", "books", "code", "forum", "papers", "news")


class Mixed(Dataset):
    def __init__(self, path):
        blob = torch.load(path, map_location="cpu")
        self.x, self.y, self.domain = blob["x"], blob["y"], blob["domain"]

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i], DOMAINS[self.domain[i]]


class DomainLosses:
    def __init__(self):
        self.sums = defaultdict(lambda: torch.zeros(2))

    def add(self, losses, domains):
        for value, name in zip(losses.tolist(), domains):
            self.sums[name] += torch.tensor([value, 1.0])

    def reduce(self):
        out = {}
        for name in DOMAINS:
            pair = self.sums[name]
            dist.all_reduce(pair)
            out[name] = (pair[0] / pair[1].clamp(min=1)).item()
        self.sums.clear()
        return out


def main(epochs=8):
    dist.init_process_group("gloo")
    data = Mixed(os.environ["MIXED"])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, num_workers=2, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 1)))
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    track = DomainLosses()
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y, domains in loader:
            losses = (model(x).squeeze(1) - y).square()
            optimizer.zero_grad()
            losses.mean().backward()
            optimizer.step()
            track.add(losses.detach(), domains)
        report = track.reduce()
        if dist.get_rank() == 0:
            print(epoch, {k: round(v, 4) for k, v in report.items()}, flush=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "mixed.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
