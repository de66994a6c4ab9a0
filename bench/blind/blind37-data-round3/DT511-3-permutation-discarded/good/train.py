import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class ShardReader:
    """Equal numbers of shards for all ranks, in an order that changes with the epoch."""

    def __init__(self, folder, seed):
        self.paths = sorted(Path(folder).glob("*.npy"))
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.share = len(self.paths) // self.world
        self.seed = seed

    def epoch(self, number):
        paths = np.array([str(p) for p in self.paths])
        np.random.default_rng([self.seed, number]).shuffle(paths)
        for path in paths[self.rank * self.share : (self.rank + 1) * self.share]:
            yield torch.from_numpy(np.load(path))


class Coder(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 8), nn.Tanh(), nn.Linear(8, dim))

    def forward(self, x):
        return self.net(x)


def main(folder="/data/shards", epochs=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    reader = ShardReader(folder, seed=10)
    model = DDP(Coder().to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for number in range(epochs):
        for rows in reader.epoch(number):
            rows = rows.to(device)
            loss = nn.functional.mse_loss(model(rows), rows)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), f"coder{number}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
