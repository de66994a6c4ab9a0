"""Neural additive model on a polars table; batches are cut by hand."""
import os

import numpy as np
import polars as pl
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Batches:
    """Shuffled batches of a frame, a new order for each epoch."""

    def __init__(self, frame, target, size, seed=0):
        self.y = torch.from_numpy(frame[target].to_numpy().astype(np.float32))
        self.x = torch.from_numpy(frame.drop(target).to_numpy().astype(np.float32))
        self.size, self.seed, self.epoch = size, seed, 0

    def __len__(self):
        return len(self.y) // self.size

    def __iter__(self):
        order = np.random.default_rng([self.seed, self.epoch]).permutation(len(self.y))
        self.epoch += 1
        for at in range(len(self)):
            rows = torch.from_numpy(order[at * self.size : (at + 1) * self.size])
            yield self.x[rows], self.y[rows]


class Additive(nn.Module):
    def __init__(self, features, width=64):
        super().__init__()
        self.first = nn.Parameter(torch.randn(features, 1, width) * 0.1)
        self.second = nn.Parameter(torch.randn(features, width, 1) * 0.1)

    def forward(self, x):
        hidden = torch.relu(x.T[..., None] @ self.first)
        return (hidden @ self.second).squeeze(-1).sum(0)


def main(epochs=20):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    frame = pl.read_parquet("claims.parquet")
    feed = Batches(frame, "cost", 512)
    model = DDP(Additive(frame.width - 1).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(epochs):
        for x, y in feed:
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "additive.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
