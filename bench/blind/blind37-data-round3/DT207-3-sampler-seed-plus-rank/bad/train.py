import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Pairs(Dataset):
    def __init__(self, n=30_000, dim=24):
        g = torch.Generator().manual_seed(50)
        self.left = torch.randn(n, dim, generator=g)
        self.right = self.left.flip(1) + 0.05 * torch.randn(n, dim, generator=g)

    def __len__(self):
        return len(self.left)

    def __getitem__(self, i):
        left = self.left[i] + 0.01 * torch.randn(24)
        return left, self.right[i]


class Seeds:
    """Everything a run draws from: one seed for what ranks share, one for what they do not."""

    def __init__(self, base):
        self.shared = base
        self.own = base + 1000 * dist.get_rank()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=8)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    seeds = Seeds(args.seed)
    torch.manual_seed(seeds.own)
    data = Pairs()
    sampler = DistributedSampler(data, shuffle=True, seed=seeds.own, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, num_workers=2, drop_last=True)
    net = nn.Sequential(nn.Linear(24, 96), nn.GELU(), nn.Linear(96, 24)).to(device)
    model = DistributedDataParallel(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for left, right in loader:
            loss = F.mse_loss(model(left.to(device)), right.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "pairs.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
