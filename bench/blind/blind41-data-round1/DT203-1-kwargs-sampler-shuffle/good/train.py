import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Windows(Dataset):
    def __init__(self, series, length):
        self.series, self.length = series, length

    def __len__(self):
        return len(self.series) - self.length

    def __getitem__(self, i):
        return self.series[i : i + self.length], self.series[i + self.length]


def loader_for(dataset, args, train):
    options = dict(batch_size=args.batch_size, num_workers=2, pin_memory=False, drop_last=train)
    sampler = None
    if train:
        options["shuffle"] = True
    if dist.is_initialized():
        sampler = DistributedSampler(dataset, shuffle=train)
        options["sampler"] = sampler
        options.pop("shuffle", None)
    return DataLoader(dataset, **options), sampler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    series = torch.sin(torch.arange(3000) / 17.0)
    loader, sampler = loader_for(Windows(series, 32), args, train=True)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 1)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for window, target in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(window)[:, 0], target)
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
