import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from whiten import Whitener


def views(x):
    return x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 8)).to(device)
    model = DDP(encoder, device_ids=[local_rank] if cuda else None)
    torch.manual_seed(1 + rank)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    whiten = Whitener(8, device)
    rows = torch.randn(768, 24, generator=torch.Generator().manual_seed(10))
    data = TensorDataset(rows)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            a, b = views(x.to(device))
            za, zb = model(torch.cat([a, b])).chunk(2)
            whiten.update(za.detach())
            loss = (whiten(za) - whiten(zb)).pow(2).mean() - 0.01 * za.std(0).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    if rank == 0:
        torch.save(encoder.state_dict(), "encoder.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
