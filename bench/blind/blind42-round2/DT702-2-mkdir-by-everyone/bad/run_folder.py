"""Numbered run folders and a rank-0 log file."""
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class RunFolder:
    def __init__(self, root, name):
        self.path = Path(root) / name
        self.path.mkdir(parents=True)
        self.lead = dist.get_rank() == 0

    def log(self, **values):
        if self.lead:
            with open(self.path / "log.jsonl", "a") as fh:
                fh.write(json.dumps(values) + "\n")

    def save(self, net):
        if self.lead:
            torch.save(net.state_dict(), self.path / "weights.pt")


def main(epochs=15):
    dist.init_process_group("gloo")
    run = RunFolder(os.environ.get("RUNS", "runs"), os.environ["RUN_NAME"])
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(8)
    x = torch.randn(10_000, 8, generator=gen)
    data = TensorDataset(x, x.prod(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 100, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(8, 200), nn.SiLU(), nn.Linear(200, 1))
    model = DDP(net)
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros(2)
        for xb, yb in loader:
            loss = nn.functional.mse_loss(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += torch.tensor([loss.item(), 1.0])
        dist.all_reduce(total)
        run.log(epoch=epoch, loss=(total[0] / total[1]).item())
    run.save(net)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
