import argparse
import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from sklearn.model_selection import StratifiedKFold
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset


def cells(n=5000):
    rng = np.random.default_rng(15)
    x = rng.normal(size=(n, 30)).astype("float32")
    y = (x[:, 0] + rng.normal(size=n) > 0).astype("int64")
    return x, y


def folds(x, y, count):
    splitter = StratifiedKFold(n_splits=count, shuffle=True, random_state=0)
    return list(splitter.split(x, y))


def part(data, rows, train):
    subset = Subset(data, rows.tolist())
    sampler = DistributedSampler(subset, shuffle=train, drop_last=train)
    return DataLoader(subset, batch_size=64, sampler=sampler, drop_last=train)


def fit(fold, train, val, device, epochs):
    torch.manual_seed(fold)
    model = DDP(nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 2)).to(device))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            opt.zero_grad(set_to_none=True)
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
    counts = torch.zeros(2, device=device)
    with torch.no_grad():
        for x, y in val:
            guess = model.module(x.to(device)).argmax(dim=1)
            counts += torch.tensor([(guess == y.to(device)).sum().item(), len(y)], device=device)
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    x, y = cells()
    data = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
    scores = []
    for fold, (train_rows, val_rows) in enumerate(folds(x, y, args.folds)):
        train, val = part(data, train_rows, True), part(data, val_rows, False)
        scores.append(fit(fold, train, val, device, args.epochs))
    if dist.get_rank() == 0:
        print(f"accuracy {np.mean(scores):.3f} +- {np.std(scores):.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
