import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from splits import named_split


def waves(n=600):
    t = torch.linspace(0, 60, n).unsqueeze(1)
    return TensorDataset(torch.cat([t.sin(), t.cos()], 1), (2 * t).sin())


def loader_for(part, batch, train):
    sampler = DistributedSampler(part, shuffle=train, seed=0, drop_last=train)
    return DataLoader(part, batch, sampler=sampler, drop_last=train)


def validate(model, loader):
    totals = torch.zeros(2)
    with torch.no_grad():
        for x, y in loader:
            totals += torch.tensor([F.mse_loss(model(x), y, reduction="sum").item(), float(len(x))])
    dist.all_reduce(totals)
    return (totals[0] / totals[1]).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--experiment", default="waves-small")
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    train_part, val_part = named_split(waves(), args.experiment, 0.1)
    train, val = loader_for(train_part, 16, True), loader_for(val_part, 16, False)
    model = DDP(torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)))
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(args.epochs):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(x), y).backward()
            opt.step()
        error = validate(model.module, val)
        if dist.get_rank() == 0:
            print(f"{args.experiment} epoch {epoch}: {error:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
