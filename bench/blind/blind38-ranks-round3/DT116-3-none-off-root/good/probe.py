import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def collect(rows):
    """The rows of all ranks, on rank 0."""
    parts = [torch.empty_like(rows) for _ in range(dist.get_world_size())] if dist.get_rank() == 0 else None
    dist.gather(rows, parts, dst=0)
    return torch.cat(parts) if parts is not None else None


class Encoder(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, dim))
        self.head = nn.Linear(dim, 20)

    def forward(self, x):
        return self.head(self.body(x))


def centre_of(model, loader, device):
    """Mean code of a few batches, over all ranks; codes are centred by it from then on."""
    codes = []
    with torch.no_grad():
        for number, (x,) in enumerate(loader):
            codes.append(model.module.body(x.to(device)))
            if number == 3:
                break
    every = collect(torch.cat(codes))
    centre = every.mean(dim=0) if every is not None else torch.empty(16, device=device)
    dist.broadcast(centre, src=0)
    return centre


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(Encoder().to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(3200, 20, generator=torch.Generator().manual_seed(1)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=50, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            opt.zero_grad()
            F.mse_loss(model(x), x).backward()
            opt.step()
    centre = centre_of(model, loader, device)
    print(dist.get_rank(), centre.norm().item())
    torch.save(centre, f"centre_{dist.get_rank()}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
