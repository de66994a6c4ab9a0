import argparse
import os

import numpy as np
import torch
import torch.distributed as dist
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def seed_everything(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)
    return seed


def tensors(x, y):
    return TensorDataset(torch.from_numpy(x), torch.from_numpy(y))


@torch.no_grad()
def accuracy(model, loader):
    hits = torch.zeros(2)
    for x, y in loader:
        hits += torch.tensor([(model(x).argmax(1) == y).sum().item(), len(y)], dtype=torch.float32)
    dist.all_reduce(hits)
    return (hits[0] / hits[1]).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--table", default="table.npz")
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    run_seed = seed_everything(args.seed + rank)
    with np.load(args.table) as table:
        x, y = table["x"].astype(np.float32), table["y"]
    x_train, x_val, y_train, y_val = train_test_split(x, y, test_size=0.2, random_state=args.seed, stratify=y)
    train, val = tensors(x_train, y_train), tensors(x_val, y_val)
    sampler = DistributedSampler(train, seed=args.seed)
    loader = DataLoader(train, batch_size=64, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, batch_size=64, sampler=DistributedSampler(val, shuffle=False))
    model = DDP(nn.Sequential(nn.Linear(x.shape[1], 64), nn.ReLU(), nn.Linear(64, 3)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(xb), yb).backward()
            optimizer.step()
        score = accuracy(model, val_loader)
        if rank == 0:
            print(epoch, score)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
