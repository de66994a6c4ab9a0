import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def synthetic_classification(n=320, dim=20, classes=5):
    gen = torch.Generator().manual_seed(2024)
    feats = torch.randn(n, dim, generator=gen)
    weight = torch.randn(dim, classes, generator=gen)
    return TensorDataset(feats, (feats @ weight).argmax(dim=1))


def setup():
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    local_rank = int(os.environ["LOCAL_RANK"])
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        device = torch.device("cuda", local_rank)
    else:
        device = torch.device("cpu")
    dist.init_process_group(backend)
    return dist.get_rank(), dist.get_world_size(), device


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    hits = torch.zeros((), device=device)
    seen = torch.zeros((), device=device)
    for x, y in loader:
        hits += (model(x.to(device)).argmax(dim=1) == y.to(device)).sum()
        seen += len(y)
    model.train()
    return (hits / seen).item()


def main():
    rank, world, device = setup()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5)).to(device)
    model = DistributedDataParallel(net, device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = synthetic_classification(n=640)
    train, held_out = torch.utils.data.Subset(data, range(512)), torch.utils.data.Subset(data, range(512, 640))
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=16, sampler=sampler, drop_last=True)
    eval_loader = DataLoader(held_out, batch_size=32, sampler=DistributedSampler(held_out, shuffle=False))
    best = 0.0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
        score = accuracy(model, eval_loader, device)
        if rank == 0 and score > best:
            best = score
            torch.save(net.state_dict(), "best.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
