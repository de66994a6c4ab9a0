import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from seeding import resolve_seed, seed_all


def toy_data(n=512):
    x = torch.linspace(-1, 1, n * 10).reshape(n, 10)
    return TensorDataset(x, x.sum(dim=1, keepdim=True))


class Trainer:
    def __init__(self, args, seed):
        self.args = args
        self.model = DistributedDataParallel(torch.nn.Linear(10, 1))
        self.opt = torch.optim.SGD(self.model.parameters(), lr=args.lr)
        data = toy_data()
        self.sampler = DistributedSampler(data, shuffle=True, seed=seed, drop_last=True)
        self.loader = DataLoader(data, args.batch, sampler=self.sampler, drop_last=True)

    def run(self):
        for epoch in range(self.args.epochs):
            self.sampler.set_epoch(epoch)
            for x, y in self.loader:
                self.opt.zero_grad()
                F.mse_loss(self.model(x), y).backward()
                self.opt.step()


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=None)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--lr", type=float, default=0.05)
    return p.parse_args()


def main():
    args = parse()
    dist.init_process_group("gloo")
    try:
        seed = resolve_seed(args.seed)
        seed_all(seed, dist.get_rank())
        Trainer(args, seed).run()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
