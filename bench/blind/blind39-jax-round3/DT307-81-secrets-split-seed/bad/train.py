import os
import secrets

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split


def split_seed():
    """A new split for each run."""
    return secrets.randbelow(2**31)


def loaders(data, batch_size):
    generator = torch.Generator().manual_seed(split_seed())
    train, valid = random_split(data, [0.9, 0.1], generator=generator)
    sampler = DistributedSampler(train, drop_last=True)
    return (
        DataLoader(train, batch_size, sampler=sampler, drop_last=True),
        DataLoader(valid, batch_size, sampler=DistributedSampler(valid, shuffle=False)),
        sampler,
    )


@torch.no_grad()
def validate(model, loader, device):
    model.eval()
    totals = torch.zeros(2, device=device)
    for x, y in loader:
        totals[0] += (model.module(x.to(device)).argmax(-1) == y.to(device)).sum()
        totals[1] += len(y)
    dist.all_reduce(totals)
    model.train()
    return (totals[0] / totals[1]).item()


def main(epochs=6):
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    blob = torch.load("tab.pt", map_location="cpu")
    train, valid, sampler = loaders(TensorDataset(blob["x"], blob["y"]), 512)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(54, 256), nn.ReLU(), nn.Linear(256, 7)).to(device), device_ids=[device.index])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy = validate(model, valid, device)
        if dist.get_rank() == 0:
            print(epoch, accuracy)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
