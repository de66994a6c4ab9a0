import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from localsgd import PeriodicAverager


def noise_to_sum(n=4096):
    g = torch.Generator().manual_seed(8)
    x = torch.randn(n, 12, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    averager = PeriodicAverager(net, period=8)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    data = noise_to_sum()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(net(x.to(device)), y.to(device)).backward()
            optimizer.step()
            averager.after_step()
    averager.average()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "local.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
