import math
import os

import h5py
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


class Blocks:
    """Contiguous blocks of an HDF5 table, each rank's own range of them."""

    def __init__(self, path, rank, world, rows=256):
        self.table = h5py.File(path, "r")["signal"]
        self.rows = rows
        total = self.table.shape[0] // rows
        share = total // world
        self.range = range(rank * share, (rank + 1) * share)

    def __iter__(self):
        for block in self.range:
            yield torch.from_numpy(self.table[block * self.rows : (block + 1) * self.rows]).float()


class Smoother(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(1, width, 15, padding=7), nn.ReLU(), nn.Conv1d(width, 1, 15, padding=7))

    def forward(self, x):
        return self.net(x.unsqueeze(1)).squeeze(1)


def main(path="/data/signal.h5", epochs=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    blocks = Blocks(path, dist.get_rank(), dist.get_world_size())
    model = DDP(Smoother().to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for block in blocks:
            block = block.to(device)
            loss = F.mse_loss(model(block + 0.1 * torch.randn_like(block)), block)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), f"smoother{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
