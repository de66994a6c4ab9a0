import os

import torch
import torch.distributed as dist
import torch.nn as nn

from topology import Topology


class Trunk(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 16))

    def forward(self, x):
        return self.layers(x)


class Worker:
    def __init__(self, device):
        self.topology = Topology()
        self.device = device
        torch.manual_seed(2)
        self.trunk = Trunk().to(device)
        self.opt = torch.optim.SGD(self.trunk.parameters(), lr=0.01)
        self.data = torch.Generator().manual_seed(90 + self.topology.rank)

    def average_gradients(self):
        for p in self.trunk.parameters():
            dist.all_reduce(p.grad)
            p.grad /= self.topology.world

    def step(self):
        x = torch.randn(32, 16, generator=self.data).to(self.device)
        loss = (self.trunk(x) - x.roll(1, dims=1)).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.average_gradients()
        self.opt.step()
        return loss.detach()

    def head_loss(self, loss):
        if not self.topology.has_head:
            return None
        mean = loss.clone()
        dist.all_reduce(mean, group=self.topology.head_group)
        return mean.item() / len(self.topology.head_ranks)


def main(steps=60):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    worker = Worker(torch.device("cuda", local) if cuda else torch.device("cpu"))
    for i in range(steps):
        loss = worker.step()
        if i % 20 == 0:
            shown = worker.head_loss(loss)
            if shown is not None and worker.topology.rank == worker.topology.world - 1:
                print(f"{i} head loss {shown:.4f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
