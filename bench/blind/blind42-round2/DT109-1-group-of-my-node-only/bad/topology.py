"""Two-level averaging: inside of the node every step, over the nodes now and then."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Topology:
    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.per_node = int(os.environ["LOCAL_WORLD_SIZE"])
        self.node = self.rank // self.per_node
        first = self.node * self.per_node
        self.inside = dist.new_group(list(range(first, first + self.per_node)))

    def average_inside(self, net):
        for p in net.parameters():
            dist.all_reduce(p.grad, group=self.inside)
            p.grad /= self.per_node

    def average_all(self, net):
        with torch.no_grad():
            for p in net.parameters():
                dist.all_reduce(p)
                p /= self.world


def main(epochs=4, outer=50):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    topology = Topology()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 512), nn.GELU(), nn.Linear(512, 64)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), 0.05)
    data = TensorDataset(torch.load("codes.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 128, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda()
            loss = nn.functional.mse_loss(net(x), x)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            topology.average_inside(net)
            optimizer.step()
            step += 1
            if step % outer == 0:
                topology.average_all(net)
    topology.average_all(net)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
