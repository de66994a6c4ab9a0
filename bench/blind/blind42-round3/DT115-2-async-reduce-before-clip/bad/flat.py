"""Overlaps the reduction of one bucket with the flattening of the next."""
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Buckets:
    def __init__(self, net, size):
        self.world = dist.get_world_size()
        self.buckets, current, count = [], [], 0
        for p in reversed(list(net.parameters())):
            current.append(p)
            count += p.numel()
            if count >= size:
                self.buckets.append(current)
                current, count = [], 0
        if current:
            self.buckets.append(current)

    def reduce(self):
        pending = []
        for bucket in self.buckets:
            flat = torch.cat([p.grad.flatten() for p in bucket])
            pending.append((dist.all_reduce(flat, async_op=True), flat, bucket))
        for work, flat, bucket in pending:
            flat.div_(self.world)
            at = 0
            for p in bucket:
                p.grad.copy_(flat[at : at + p.numel()].view_as(p))
                at += p.numel()


def main(epochs=3):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 8))
    buckets = Buckets(net, 10_000)
    optimizer = torch.optim.SGD(net.parameters(), 0.05)
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            buckets.reduce()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
