import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from stopping import Patience


def sets():
    g = torch.Generator().manual_seed(6)
    x = torch.randn(1000, 7, generator=g)
    y = (x**2).sum(1, keepdim=True)
    return TensorDataset(x[:800], y[:800]), TensorDataset(x[800:], y[800:])


@torch.no_grad()
def validate(net, loader, device):
    sums = torch.zeros(2, device=device)
    for x, y in loader:
        sums[0] += nn.functional.mse_loss(net(x.to(device)), y.to(device), reduction="sum")
        sums[1] += len(x)
    dist.all_reduce(sums)
    return (sums[0] / sums[1]).item()


def main(max_epochs=50):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(2)
    net = nn.Sequential(nn.Linear(7, 50), nn.ReLU(), nn.Linear(50, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    train, held = sets()
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=20, sampler=sampler, drop_last=True)
    held_loader = DataLoader(held, batch_size=50, sampler=DistributedSampler(held, shuffle=False))
    patience = Patience(limit=4)
    for epoch in range(max_epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
        value = validate(net, held_loader, device)
        if patience.improved(value):
            patience.record(value)
            if rank == 0:
                torch.save(net.state_dict(), "best.pt")
        else:
            patience.missed()
        if patience.exhausted:
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
