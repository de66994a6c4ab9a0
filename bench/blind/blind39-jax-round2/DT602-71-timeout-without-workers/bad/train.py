import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import TensorDataset

from loaders import train_loader, valid_loader


def read(name):
    blob = torch.load(f"{name}.pt", map_location="cpu")
    return TensorDataset(blob["x"], blob["y"])


@torch.no_grad()
def mean_loss(model, loader, device):
    model.eval()
    sums = torch.zeros(2, device=device)
    for x, y in loader:
        error = (model.module(x.to(device)).squeeze(-1) - y.to(device)).square()
        sums += torch.stack([error.sum(), torch.tensor(float(len(y)), device=device)])
    dist.all_reduce(sums)
    model.train()
    return (sums[0] / sums[1]).item()


def main(epochs=10):
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local)
    torch.cuda.set_device(device)
    torch.manual_seed(3)
    train, sampler = train_loader(read("train"), 256)
    valid = valid_loader(read("valid"), 512)
    model = DDP(nn.Sequential(nn.Linear(30, 128), nn.Tanh(), nn.Linear(128, 1)).to(device), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.mse_loss(model(x.to(device, non_blocking=True)).squeeze(-1), y.to(device, non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        value = mean_loss(model, valid, device)
        if dist.get_rank() == 0:
            print(epoch, value)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
