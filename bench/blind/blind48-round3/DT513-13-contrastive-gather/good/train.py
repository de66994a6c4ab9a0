import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from loss import contrastive


class WindowDataset(Dataset):
    def __init__(self, n=256, dim=16, seed=17):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, dim, generator=g)
        self.y = self.x[:, :4].sum(dim=1, keepdim=True)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Encoder(nn.Module):
    def __init__(self, dim=16, out=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.GELU(), nn.Linear(32, out))
        self.anchor = nn.Parameter(torch.ones(out))

    def forward(self, x, noise):
        return self.net(x) * self.anchor, self.net(x + noise) * self.anchor


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


def main():
    rank, world, device = setup()
    torch.manual_seed(0)
    model = DDP(Encoder().to(device), device_ids=[device.index] if device.type == "cuda" else None)
    torch.manual_seed(1 + rank)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ds = WindowDataset()
    sampler = DistributedSampler(ds, drop_last=True)
    loader = DataLoader(ds, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, _ in loader:
            x = x.to(device)
            optimizer.zero_grad(set_to_none=True)
            a, b = model(x, 0.1 * torch.randn_like(x))
            loss = contrastive(a, b)
            loss.backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
