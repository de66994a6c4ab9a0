import dataclasses
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclasses.dataclass
class World:
    rank: int = 0
    size: int = 1
    local_rank: int = 0

    @classmethod
    def join(cls, backend):
        dist.init_process_group(backend)
        return cls(dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"]))


def get_sampler(dataset, world, seed):
    return DistributedSampler(dataset, num_replicas=world.size, rank=world.rank, seed=seed)


def main(seed=0, epochs=3):
    world = World.join("gloo")
    torch.manual_seed(seed)
    x = torch.randn(6000, 14)
    data = TensorDataset(x, x.sum(1).gt(0).long())
    sampler = get_sampler(data, world, seed)
    loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(14, 64), nn.ReLU(), nn.Linear(64, 2)))
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
