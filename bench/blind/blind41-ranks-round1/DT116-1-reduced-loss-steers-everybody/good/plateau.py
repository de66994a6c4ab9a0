import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split


def split():
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(1200, 18, generator=gen)
    y = torch.sin(x).sum(1, keepdim=True)
    return random_split(TensorDataset(x, y), [1000, 200], generator=gen)


@torch.no_grad()
def validate(model, loader, device):
    model.eval()
    sums = torch.zeros(2, device=device)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        sums[0] += F.mse_loss(model(x), y, reduction="sum")
        sums[1] += len(x)
    dist.all_reduce(sums)
    model.train()
    return (sums[0] / sums[1]).item()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    train, valid = split()
    sampler = DistributedSampler(train, drop_last=True)
    train_loader = DataLoader(train, batch_size=20, sampler=sampler, drop_last=True)
    valid_loader = DataLoader(valid, batch_size=20, sampler=DistributedSampler(valid, shuffle=False))
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(18, 50), nn.ReLU(), nn.Linear(50, 1)).to(device))
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    plateau = ReduceLROnPlateau(opt, factor=0.5, patience=1)
    for epoch in range(6):
        sampler.set_epoch(epoch)
        for x, y in train_loader:
            opt.zero_grad()
            F.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
        loss = validate(model, valid_loader, device)
        plateau.step(loss)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: validation {loss:.4f}, lr {opt.param_groups[0]['lr']:.2e}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
