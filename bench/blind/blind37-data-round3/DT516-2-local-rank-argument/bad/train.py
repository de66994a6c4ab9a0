import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def arguments():
    parser = argparse.ArgumentParser(description="start with torchrun --nproc-per-node 8 train.py")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--local_rank", type=int, default=0)
    return parser.parse_args()


def corners(n=10_000):
    x = torch.rand(n, 2, generator=torch.Generator().manual_seed(1))
    return TensorDataset(x, (x > 0.5).long().sum(1))


def main():
    args = arguments()
    torch.cuda.set_device(args.local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 3)).cuda()
    model = DDP(net, device_ids=[args.local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = corners()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "corners.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
