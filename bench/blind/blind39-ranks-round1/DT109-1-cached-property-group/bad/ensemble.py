import os
from functools import cached_property

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Topology:
    """Who talks to whom: even ranks average the teacher, all ranks train."""

    def __init__(self, device):
        self.device = device
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()

    @cached_property
    def teacher_group(self):
        return dist.new_group(list(range(0, self.world, 2)))

    @property
    def keeps_teacher(self):
        return self.rank % 2 == 0


class Teacher:
    def __init__(self, topology, model, decay=0.9):
        self.topology = topology
        self.decay = decay
        self.weights = [p.detach().clone() for p in model.parameters()]

    @torch.no_grad()
    def update(self, model):
        for mine, theirs in zip(self.weights, model.parameters()):
            mine.lerp_(theirs, 1 - self.decay)

    def average(self):
        group = self.topology.teacher_group
        members = len(range(0, self.topology.world, 2))
        for weight in self.weights:
            dist.all_reduce(weight, group=group)
            weight.div_(members)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    topology = Topology(device)
    torch.manual_seed(6)
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    teacher = Teacher(topology, net) if topology.keeps_teacher else None
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(320, 10, generator=g), torch.randint(0, 2, (320,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if teacher is not None:
                teacher.update(net)
        if teacher is not None:
            teacher.average()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
