import os
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from events import EventBus
from listeners import install
from meters import RunningMean


@dataclass(frozen=True)
class Env:
    rank: int
    world: int

    @property
    def lead(self) -> bool:
        return self.rank == 0

    @classmethod
    def join(cls) -> "Env":
        dist.init_process_group("gloo")
        return cls(dist.get_rank(), dist.get_world_size())


def data():
    g = torch.Generator().manual_seed(3)
    x = torch.randn(256, 8, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def main():
    env = Env.join()
    out = Path(os.environ.get("OUT_DIR", "."))
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    dataset = data()
    sampler = DistributedSampler(dataset, seed=1)
    loader = DataLoader(dataset, batch_size=16, sampler=sampler)
    bus, meter = EventBus(), RunningMean("cpu")
    install(bus, env, out)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            meter.add(loss.detach(), len(x))
        bus.emit("epoch_end", epoch=epoch, meter=meter)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
