import os
from typing import NamedTuple

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torch.utils.tensorboard import SummaryWriter
from torchvision.datasets import FashionMNIST
from torchvision.transforms import ToTensor


class Place(NamedTuple):
    rank: int
    local_rank: int
    world: int

    @classmethod
    def from_env(cls):
        return cls(int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"]))

    @property
    def is_main(self):
        return self.rank == 0

    @property
    def is_node_main(self):
        return self.local_rank == 0


class Experiment:
    def __init__(self, place, log_dir, lr=0.05):
        self.place = place
        self.device = torch.device("cuda", place.local_rank)
        self.writer = SummaryWriter(log_dir) if place.is_main else None
        self.model = DDP(self.network().to(self.device), device_ids=[place.local_rank])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr, momentum=0.9)
        self.step = 0

    @staticmethod
    def network():
        return nn.Sequential(
            nn.Conv2d(1, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(64 * 49, 10)
        )

    def record(self, tag, value):
        if self.place.is_node_main:
            self.writer.add_scalar(tag, value, self.step)

    def epoch(self, loader, number):
        loader.sampler.set_epoch(number)
        hits = torch.zeros(2, device=self.device)
        for x, y in loader:
            x, y = x.to(self.device, non_blocking=True), y.to(self.device, non_blocking=True)
            logits = self.model(x)
            loss = F.cross_entropy(logits, y)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            self.step += 1
            hits[0] += (logits.argmax(1) == y).sum()
            hits[1] += y.numel()
        dist.all_reduce(hits)
        self.record("train/accuracy", (hits[0] / hits[1]).item())

    def close(self):
        if self.writer is not None:
            self.writer.close()


def main():
    place = Place.from_env()
    torch.cuda.set_device(place.local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(4)
    data = FashionMNIST("/data/fashion", train=True, transform=ToTensor())
    sampler = DistributedSampler(data, seed=4, drop_last=True)
    loader = DataLoader(data, batch_size=128, sampler=sampler, num_workers=4, drop_last=True)
    experiment = Experiment(place, "runs/fashion")
    for number in range(15):
        experiment.epoch(loader, number)
    if place.is_main:
        torch.save(experiment.model.module.state_dict(), "runs/fashion/final.pt")
    experiment.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
