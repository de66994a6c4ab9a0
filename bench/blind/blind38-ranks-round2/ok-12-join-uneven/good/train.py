import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def shards(root, rank, world):
    return sorted(Path(root).glob("*.pt"))[rank::world]


def batches(paths, size, gen):
    order = torch.randperm(len(paths), generator=gen).tolist()
    for i in order:
        block = torch.load(paths[i], map_location="cpu")
        for rows in block["x"].split(size):
            yield rows


class Denoiser(nn.Module):
    def __init__(self, dim=40):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 4 * dim), nn.SiLU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        return self.net(x)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = DDP(Denoiser().to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    paths = shards(os.environ.get("SHARDS", "shards"), rank, world)
    gen = torch.Generator().manual_seed(100 + rank)
    noise = torch.Generator(device).manual_seed(200 + rank)
    for epoch in range(3):
        with model.join():
            for x in batches(paths, 64, gen):
                x = x.to(device)
                dirty = x + 0.1 * torch.randn(x.shape, generator=noise, device=device)
                opt.zero_grad()
                F.mse_loss(model(dirty), x).backward()
                opt.step()
        dist.barrier()
        if rank == 0:
            torch.save(model.module.state_dict(), f"denoiser_{epoch}.pt")
            print("epoch", epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
