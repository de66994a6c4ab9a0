import argparse
import json
import os
from dataclasses import asdict, dataclass

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Run:
    name: str
    epochs: int
    batch: int
    lr: float

    @property
    def seed(self):
        """Every experiment has its own, but the same each time it is started."""
        return hash(self.name) % 2**31


def parse_run():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    return Run(**vars(parser.parse_args()))


def load(split):
    blob = torch.load(f"{split}.pt", map_location="cpu")
    return TensorDataset(blob["x"], blob["y"])


class Session:
    def __init__(self, run):
        self.run = run
        local = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(local)
        dist.init_process_group("nccl")
        self.rank = dist.get_rank()
        self.device = torch.device("cuda", local)
        data = load("train")
        self.sampler = DistributedSampler(data, shuffle=True, seed=run.seed, drop_last=True)
        self.loader = DataLoader(data, run.batch, sampler=self.sampler, num_workers=2, drop_last=True)
        net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).to(self.device)
        self.model = DDP(net, device_ids=[local])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=run.lr, momentum=0.9)

    def epoch(self, number):
        self.sampler.set_epoch(number)
        for x, y in self.loader:
            x, y = x.to(self.device), y.to(self.device)
            self.optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(self.model(x), y).backward()
            self.optimizer.step()

    def close(self):
        if self.rank == 0:
            torch.save(self.model.module.state_dict(), f"{self.run.name}.pt")
            with open(f"{self.run.name}.json", "w") as sink:
                json.dump(asdict(self.run), sink)
        dist.destroy_process_group()


def main():
    session = Session(parse_run())
    for number in range(session.run.epochs):
        session.epoch(number)
    session.close()


if __name__ == "__main__":
    main()
