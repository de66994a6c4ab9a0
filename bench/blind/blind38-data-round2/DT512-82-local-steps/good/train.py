"""Local SGD: every rank steps for itself, and every few steps the weights are averaged."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Averager:
    def __init__(self, net, every):
        self.net = net
        self.every = every
        self.world = dist.get_world_size()

    def start(self):
        with torch.no_grad():
            for p in self.net.parameters():
                dist.broadcast(p, src=0)

    def after(self, step):
        if (step + 1) % self.every:
            return
        with torch.no_grad():
            for p in self.net.parameters():
                dist.all_reduce(p)
                p.div_(self.world)


def rows(count=2048):
    g = torch.Generator().manual_seed(3)
    x = torch.randn(count, 12, generator=g)
    return TensorDataset(x, (x.sum(dim=1, keepdim=True) > 0).float())


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(1)
    data = rows()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    averager = Averager(net, every=8)
    averager.start()
    step = 0
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.binary_cross_entropy_with_logits(net(x.to(device)), y.to(device)).backward()
            optimizer.step()
            averager.after(step)
            step += 1
        dist.barrier()
        if dist.get_rank() == 0:
            torch.save(net.state_dict(), f"local-{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
