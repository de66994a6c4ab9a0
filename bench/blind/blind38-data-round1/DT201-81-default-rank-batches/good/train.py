"""Tabular regression on arrays that fit into memory; batches are cut by hand, without a DataLoader."""
import argparse
import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class ArrayBatches:
    """Shuffled mini-batches of one rank, cut straight from two arrays."""

    def __init__(self, features, targets, batch_size, seed=0, rank=0, world=1):
        self.features = features
        self.targets = targets
        self.batch_size = batch_size
        self.seed = seed
        self.rank = rank
        self.world = world

    def __len__(self):
        return len(self.features) // (self.batch_size * self.world)

    def epoch(self, number):
        order = np.random.default_rng((self.seed, number)).permutation(len(self.features))
        usable = len(self) * self.batch_size * self.world
        mine = order[:usable][self.rank :: self.world]
        for start in range(0, len(mine), self.batch_size):
            pick = mine[start : start + self.batch_size]
            yield torch.from_numpy(self.features[pick]), torch.from_numpy(self.targets[pick])


class Regressor(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, 128), nn.SiLU(), nn.Linear(128, 128), nn.SiLU())
        self.out = nn.Linear(128, 1)

    def forward(self, x):
        return self.out(self.body(x)).squeeze(-1)


def read_table(path):
    with np.load(path) as table:
        return table["x"].astype(np.float32), table["y"].astype(np.float32)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", default="table.npz")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=256, help="per rank")
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out", default="regressor.pt")
    return parser.parse_args()


def main():
    args = parse()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(args.seed)

    x, y = read_table(args.table)
    batches = ArrayBatches(x, y, args.batch_size, args.seed, dist.get_rank(), dist.get_world_size())
    net = DistributedDataParallel(Regressor(x.shape[1]).to(device), device_ids=[local])
    optimizer = torch.optim.AdamW(net.parameters(), lr=args.lr)

    for number in range(args.epochs):
        total = torch.zeros(2, device=device)
        for features, targets in batches.epoch(number):
            features = features.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = nn.functional.huber_loss(net(features), targets)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += torch.stack([loss.detach() * len(targets), torch.tensor(float(len(targets)), device=device)])
        dist.all_reduce(total)
        if dist.get_rank() == 0:
            print(f"epoch {number}: huber {(total[0] / total[1]).item():.5f}", flush=True)

    if dist.get_rank() == 0:
        torch.save(net.module.state_dict(), args.out)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
