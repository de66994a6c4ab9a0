import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def launch():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    return torch.device("cuda", local_rank)


def finish():
    dist.barrier()
    dist.destroy_process_group()


def pairs(n=4096):
    gen = torch.Generator().manual_seed(13)
    x = torch.randn(n, 2, 10, generator=gen)
    return TensorDataset(x[:, 0], x[:, 1], (x[:, 0] * x[:, 1]).sum(dim=1))


class Bilinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(10, 32), nn.Linear(10, 32)

    def forward(self, a, b):
        return (self.left(a) * self.right(b)).sum(dim=-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    device = launch()
    torch.manual_seed(0)
    model = DDP(Bilinear().to(device), device_ids=[device.index])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = pairs()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for a, b, y in loader:
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(a.to(device), b.to(device)), y.to(device)).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "bilinear.pt")
    finish()


if __name__ == "__main__":
    main()
