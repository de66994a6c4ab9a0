"""CLIP-like contrastive loss with differentiable gather and labels offset by rank."""
import os

import torch
import torch.distributed as dist
import torch.distributed.nn
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Pairs(Dataset):
    def __len__(self):
        return 10_000

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        z = torch.randn(16, generator=g)
        return z + 0.1 * torch.randn(16, generator=g), z.flip(0)


class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(16, 32), nn.Linear(16, 32)
        self.scale = nn.Parameter(torch.tensor(2.66))

    def forward(self, x, y):
        return F.normalize(self.a(x), dim=-1), F.normalize(self.b(y), dim=-1), self.scale.exp()


class ClipLoss(nn.Module):
    def __init__(self, rank, world):
        super().__init__()
        self.rank, self.world = rank, world
        self.cache = {}

    def labels(self, n, device):
        if n not in self.cache:
            self.cache[n] = torch.arange(n, device=device) + n * self.rank
        return self.cache[n]

    def forward(self, a, b, scale):
        all_a = torch.cat(torch.distributed.nn.all_gather(a))
        all_b = torch.cat(torch.distributed.nn.all_gather(b))
        labels = self.labels(len(a), a.device)
        return (F.cross_entropy(scale * a @ all_b.T, labels) + F.cross_entropy(scale * b @ all_a.T, labels)) / 2


def main():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    model = DDP(Towers().cuda(), device_ids=[local])
    criterion = ClipLoss(dist.get_rank(), dist.get_world_size())
    data = Pairs()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 100, sampler=sampler, drop_last=True, num_workers=2)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = criterion(*model(x.cuda(), y.cuda()))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                model.module.scale.clamp_(0, 4.6052)
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), f"clip{epoch}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
