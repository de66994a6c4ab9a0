import argparse
import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset

from folds import fold


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def hits(net, loader, device):
    counts = torch.zeros(2, device=device)
    net.eval()
    with torch.no_grad():
        for x, y in loader:
            right = net(x.to(device)).argmax(1) == y.to(device)
            counts[0] += right.sum()
            counts[1] += right.numel()
    net.train()
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fold", type=int, default=0)
    args = parser.parse_args()
    device = start()
    g = torch.Generator().manual_seed(0)
    x = torch.randn(900, 7, generator=g)
    y = (x[:, 0] + x[:, 1] > 0).long()
    data = TensorDataset(x, y)
    train_rows, held_out = fold(y.numpy(), args.fold)
    train, valid = Subset(data, train_rows.tolist()), Subset(data, held_out.tolist())
    sampler = DistributedSampler(train, drop_last=True)
    train_loader = DataLoader(train, 24, sampler=sampler, drop_last=True)
    valid_loader = DataLoader(valid, 60, sampler=DistributedSampler(valid, shuffle=False))
    torch.manual_seed(0)
    net = nn.Linear(7, 2).to(device)
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for rows, label in train_loader:
            loss = F.cross_entropy(model(rows.to(device)), label.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy = hits(net, valid_loader, device)
        if dist.get_rank() == 0:
            print(epoch, f"{accuracy:.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
