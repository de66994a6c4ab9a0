import os
import random

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


class Chunks:
    """Equal chunks of one big tensor; each rank takes every world-th of a shared order."""

    def __init__(self, data, size, seed=4):
        count = len(data) // size
        self.data, self.size = data, size
        self.numbers = range(count)
        self.seed = seed

    def for_epoch(self, epoch, rank, world):
        rng = random.Random(self.seed + epoch)
        order = self.numbers
        rng.shuffle(list(order))
        usable = len(order) - len(order) % world
        for number in order[:usable][rank::world]:
            yield self.data[number * self.size : (number + 1) * self.size]


def main(epochs=6, size=32):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(8)
    chunks = Chunks(torch.randn(10_240, 24, generator=gen), size)
    net = nn.Sequential(nn.Linear(24, 6), nn.Tanh(), nn.Linear(6, 24)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for x in chunks.for_epoch(epoch, rank, world):
            x = x.to(device)
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(x), x).backward()
            opt.step()
    if rank == 0:
        torch.save(net.state_dict(), "bottleneck.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
