"""Checkpoint keeper and a small regression trainer around it."""
import os
import re
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Keeper:
    """Writes numbered checkpoints from rank 0 and keeps the newest few."""

    pattern = re.compile(r"step_(\d+)\.pt$")

    def __init__(self, folder, keep=3):
        self.folder, self.keep = Path(folder), keep
        self.folder.mkdir(parents=True, exist_ok=True)

    def _numbered(self):
        found = [(int(m[1]), p) for p in self.folder.iterdir() if (m := self.pattern.search(p.name))]
        return [p for _, p in sorted(found)]

    def write(self, state, step):
        if dist.get_rank() == 0:
            torch.save(state, self.folder / f"step_{step}.pt")
        dist.barrier()
        self.prune()

    def prune(self):
        for old in self._numbered()[: -self.keep]:
            old.unlink()


def main(epochs=12):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(99)
    x = torch.randn(4096, 20, generator=gen)
    data = TensorDataset(x, x.square().sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(20, 64), nn.SiLU(), nn.Linear(64, 1))
    model = DDP(net)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    keeper = Keeper(os.environ.get("RUN_DIR", "run"))
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            loss = nn.functional.mse_loss(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
        keeper.write({"model": net.state_dict(), "optimizer": optimizer.state_dict()}, step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
