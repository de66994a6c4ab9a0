import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def node_group(per_node):
    rank, world = dist.get_rank(), dist.get_world_size()
    mine = None
    for first in range(0, world, per_node):
        group = dist.new_group(ranks=list(range(first, first + per_node)))
        if first <= rank < first + per_node:
            mine = group
    return mine


class HierarchicalSGD:
    """Averages inside the node every step and over all nodes every `outer` steps."""

    def __init__(self, model, per_node, outer=8, lr=0.05):
        self.model, self.outer = model, outer
        self.per_node = per_node
        self.node = node_group(per_node)
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.steps = 0
        for tensor in model.state_dict().values():
            dist.broadcast(tensor, src=0)

    def step(self, loss):
        self.opt.zero_grad()
        loss.backward()
        for p in self.model.parameters():
            dist.all_reduce(p.grad, group=self.node)
            p.grad /= self.per_node
        self.opt.step()
        self.steps += 1
        if self.steps % self.outer == 0:
            with torch.no_grad():
                for p in self.model.parameters():
                    dist.all_reduce(p.data)
                    p.data /= dist.get_world_size()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    per_node = int(os.environ["LOCAL_WORLD_SIZE"])
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if gpu else "gloo")
    device = torch.device("cuda", local_rank) if gpu else torch.device("cpu")
    torch.manual_seed(0)
    sgd = HierarchicalSGD(nn.Linear(12, 4).to(device), per_node)
    gen = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(768, 12, generator=gen), torch.randint(0, 4, (768,), generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=12, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            sgd.step(F.cross_entropy(sgd.model(x.to(device)), y.to(device)))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
