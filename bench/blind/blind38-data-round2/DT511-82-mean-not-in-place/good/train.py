"""Data parallel by hand: the gradients are flattened into buckets, summed and divided."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Buckets:
    """Averages the gradients of a model over all ranks, a few megabytes at a time."""

    def __init__(self, parameters, limit=1 << 20):
        self.groups, size = [[]], 0
        for p in parameters:
            if size + p.numel() > limit and self.groups[-1]:
                self.groups.append([])
                size = 0
            self.groups[-1].append(p)
            size += p.numel()
        self.world = dist.get_world_size()

    @torch.no_grad()
    def average(self):
        for group in self.groups:
            flat = torch.cat([p.grad.flatten() for p in group])
            dist.all_reduce(flat)
            flat.div_(self.world)
            start = 0
            for p in group:
                p.grad.copy_(flat[start : start + p.numel()].view_as(p))
                start += p.numel()


def broadcast_weights(net):
    for tensor in net.state_dict().values():
        dist.broadcast(tensor, src=0)


def rows(count=4096):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(count, 30, generator=g)
    return TensorDataset(x, (x[:, 0] * x[:, 1]).unsqueeze(1))


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    data = rows()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(30, 128), nn.ReLU(), nn.Linear(128, 1)).to(device)
    broadcast_weights(net)
    buckets = Buckets(net.parameters())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    for epoch in range(8):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.mse_loss(net(x.to(device)), y.to(device))
            loss.backward()
            buckets.average()
            optimizer.step()
        shown = loss.detach().clone()
        dist.all_reduce(shown)
        if dist.get_rank() == 0:
            print(epoch, shown.item() / dist.get_world_size(), flush=True)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "by_hand.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
