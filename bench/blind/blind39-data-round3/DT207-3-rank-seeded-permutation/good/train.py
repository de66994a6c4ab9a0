import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


class EpochOrder:
    def __init__(self, total, rank, world, seed):
        self.per_rank = total // world
        self.total, self.rank = total, rank
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        order = self.rng.permutation(self.total)
        first = self.rank * self.per_rank
        yield from order[first : first + self.per_rank]


def batches(order, x, y, size):
    rows = list(order)
    for start in range(0, len(rows) - size + 1, size):
        picked = torch.as_tensor(np.array(rows[start : start + size]))
        yield x[picked], y[picked]


def main(epochs=5, seed=100, size=32):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    gen = torch.Generator().manual_seed(3)
    x = torch.randn(4096, 20, generator=gen)
    y = (x[:, :2].sum(dim=1) > 0).long()
    torch.manual_seed(seed)
    model = DDP(nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 2)).to(device))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    order = EpochOrder(len(x), rank, world, seed=seed)
    for epoch in range(epochs):
        for xb, yb in batches(order, x, y, size):
            opt.zero_grad(set_to_none=True)
            F.cross_entropy(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "pairs.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
