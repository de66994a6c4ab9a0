import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from evaluate import accuracy


def rows(n, seed):
    x = torch.randn(n, 20, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :5].argmax(1))


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(20, 60), nn.ReLU(), nn.Linear(60, 5)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    train, held = rows(800, 0), rows(300, 1)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=20, sampler=sampler, drop_last=True)
    held_loader = DataLoader(held, batch_size=32, sampler=DistributedSampler(held, shuffle=False))
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        rate = accuracy(net, held_loader, device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} held-out accuracy {rate:.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
