import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

COMMON = {"batch_size": 32, "num_workers": 2, "timeout": 90, "drop_last": True}


def loaders():
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(960, 7, generator=g), torch.randn(960, 1, generator=g))
    train, held = torch.utils.data.random_split(data, [640, 320], generator=torch.Generator().manual_seed(1))
    train_sampler = DistributedSampler(train, drop_last=True)
    held_sampler = DistributedSampler(held, shuffle=False)
    quiet = {**COMMON, "num_workers": 0, "drop_last": False}
    return DataLoader(train, sampler=train_sampler, **COMMON), DataLoader(held, sampler=held_sampler, **quiet)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    total = torch.zeros(2)
    for x, y in loader:
        total += torch.tensor([nn.functional.mse_loss(model(x), y, reduction="sum").item(), len(x)])
    dist.all_reduce(total)
    model.train()
    return (total[0] / total[1]).item()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(7, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    train, held = loaders()
    for epoch in range(2):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        score = evaluate(model, held)
        if dist.get_rank() == 0:
            print(epoch, score)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
