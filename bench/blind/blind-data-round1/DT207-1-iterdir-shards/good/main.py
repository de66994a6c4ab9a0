import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from data import ShardStream


class Denoiser(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 64), nn.SiLU(), nn.Linear(64, dim))

    def forward(self, clean):
        noisy = clean + 0.1 * torch.randn_like(clean)
        return (self.net(noisy) - clean).square().mean()


def connect():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    return dist.get_rank(), dist.get_world_size(), torch.device("cuda" if cuda else "cpu")


def main():
    rank, world, device = connect()
    torch.manual_seed(100 + rank)
    model = DDP(Denoiser().to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    stream = ShardStream(os.environ.get("SHARDS", "shards"), rank, world, batches_per_epoch=64)
    loader = DataLoader(stream, batch_size=8, num_workers=0, drop_last=True)
    for epoch in range(3):
        stream.set_epoch(epoch)
        for clean in loader:
            loss = model(clean.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "denoiser.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
