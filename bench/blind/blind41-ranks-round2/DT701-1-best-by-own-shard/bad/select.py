import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset


def data():
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(2200, 16, generator=gen)
    whole = TensorDataset(x, (x @ torch.ones(16) > 0).long())
    return Subset(whole, range(2000)), Subset(whole, range(2000, 2200))


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    right = torch.zeros((), device=device)
    seen = torch.zeros((), device=device)
    for x, y in loader:
        right += (model(x.to(device)).argmax(1) == y.to(device)).sum()
        seen += len(y)
    model.train()
    return (right / seen).item()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    train, valid = data()
    sampler = DistributedSampler(train, drop_last=True)
    train_loader = DataLoader(train, batch_size=25, sampler=sampler, drop_last=True)
    valid_loader = DataLoader(valid, batch_size=25, sampler=DistributedSampler(valid, shuffle=False))
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2)).to(device), device_ids=[local_rank])
    opt = torch.optim.Adam(model.parameters())
    best = 0.0
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for x, y in train_loader:
            opt.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        accuracy = evaluate(model, valid_loader, device)
        if dist.get_rank() == 0 and accuracy > best:
            best = accuracy
            torch.save(model.module.state_dict(), "best.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
