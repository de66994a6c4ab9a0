import argparse
import os
import random

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def holdout(dataset, fraction, seed):
    order = np.random.default_rng(seed).permutation(len(dataset))
    cut = int(len(dataset) * fraction)
    return Subset(dataset, order[cut:].tolist()), Subset(dataset, order[:cut].tolist())


class Experiment:
    def __init__(self, args, rank, world, device):
        self.args, self.rank, self.world, self.device = args, rank, world, device
        seed_all(args.seed + rank)
        x = torch.randn(600, 7, generator=torch.Generator().manual_seed(0))
        dataset = TensorDataset(x, x.abs().sum(1))
        train, val = holdout(dataset, 0.2, args.seed)
        self.sampler = DistributedSampler(train, seed=args.seed, drop_last=True)
        self.train_loader = DataLoader(train, args.batch, sampler=self.sampler, drop_last=True)
        self.val_loader = DataLoader(val, args.batch, sampler=DistributedSampler(val, shuffle=False))
        self.model = DDP(nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 1)).to(device))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)

    def train(self, epoch):
        self.sampler.set_epoch(epoch)
        for x, y in self.train_loader:
            loss = F.mse_loss(self.model(x.to(self.device))[:, 0], y.to(self.device))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def validate(self):
        sums = torch.zeros(2, device=self.device)
        for x, y in self.val_loader:
            error = (self.model(x.to(self.device))[:, 0] - y.to(self.device)).abs()
            sums += torch.stack([error.sum(), torch.ones_like(error).sum()])
        dist.all_reduce(sums)
        return (sums[0] / sums[1]).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    experiment = Experiment(args, dist.get_rank(), dist.get_world_size(), torch.device("cuda" if cuda else "cpu"))
    for epoch in range(args.epochs):
        experiment.train(epoch)
        mae = experiment.validate()
        if experiment.rank == 0:
            print(f"epoch {epoch} mae {mae:.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
