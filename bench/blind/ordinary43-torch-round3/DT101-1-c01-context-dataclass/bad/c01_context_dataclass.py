"""A frozen dataclass context made from the environment, threaded through functions; match statement on the role."""
from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Role(Enum):
    LEADER = auto()
    FOLLOWER = auto()


@dataclass(frozen=True)
class World:
    rank: int
    local_rank: int
    size: int

    @classmethod
    def from_env(cls) -> World:
        return cls(int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"]))

    @property
    def role(self) -> Role:
        return Role.LEADER if self.rank == 0 else Role.FOLLOWER

    @property
    def device(self) -> torch.device:
        return torch.device("cuda", self.local_rank)

    def mean(self, value: Tensor) -> float:
        value = value.detach().clone()
        dist.all_reduce(value)
        return value.item() / self.size


@contextmanager
def process_group(world: World) -> Iterator[World]:
    torch.cuda.set_device(world.device)
    dist.init_process_group("nccl", rank=world.rank, world_size=world.size, device_id=world.device)
    try:
        yield world
    finally:
        dist.destroy_process_group()


class Sines(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, i):
        x = torch.tensor([i / 100.0])
        return x, x.sin()


def report(world: World, epoch: int, loss: float, path: Path) -> None:
    match world.role:
        case Role.LEADER:
            with path.open("a") as f:
                print(epoch, loss, file=f)
        case Role.FOLLOWER:
            pass


def train(world: World, epochs: int = 5) -> nn.Module:
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 1)).to(world.device), device_ids=[world.local_rank])
    data = Sines()
    sampler = DistributedSampler(data, num_replicas=world.size, rank=world.rank, seed=3, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=world.device)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.to(world.device)), y.to(world.device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        if world.role is Role.LEADER:
            report(world, epoch, world.mean(total / len(loader)), Path("sines.log"))
    return model.module


def main() -> None:
    with process_group(World.from_env()) as world:
        model = train(world)
        if world.role is Role.LEADER:
            torch.save(model.state_dict(), "sines.pt")


if __name__ == "__main__":
    main()
