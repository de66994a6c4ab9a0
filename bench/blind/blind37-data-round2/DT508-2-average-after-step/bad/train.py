import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from sync import GradientBuckets, broadcast_parameters


def digits(n=8192):
    g = torch.Generator().manual_seed(64)
    x = torch.rand(n, 64, generator=g)
    return TensorDataset(x, x.view(n, 8, 8).sum(2).argmax(1))


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8)).to(device)
    broadcast_parameters(net)
    buckets = GradientBuckets(net.parameters())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    data = digits()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(6):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(net(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
            buckets.average()
        if dist.get_rank() == 0:
            torch.save(net.state_dict(), f"digits-{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
