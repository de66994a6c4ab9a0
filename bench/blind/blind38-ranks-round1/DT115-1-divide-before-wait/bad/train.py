import os
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Bucket:
    params: list = field(default_factory=list)
    elements: int = 0

    def add(self, p):
        self.params.append(p)
        self.elements += p.numel()

    def launch(self):
        self.flat = _flatten_dense_tensors([p.grad for p in self.params])
        self.work = dist.all_reduce(self.flat, async_op=True)

    def land(self, world):
        self.flat.div_(world)
        for p, grad in zip(self.params, _unflatten_dense_tensors(self.flat, [p.grad for p in self.params])):
            p.grad.copy_(grad)
        self.work.wait()


def into_buckets(module, limit=20_000):
    buckets = [Bucket()]
    for p in reversed(list(module.parameters())):
        if buckets[-1].elements + p.numel() > limit and buckets[-1].params:
            buckets.append(Bucket())
        buckets[-1].add(p)
    return buckets


def make_data(n=3200, seed=6):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 30, generator=gen)
    return TensorDataset(x, (x[:, :10].sum(1) > 0).long())


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    world = dist.get_world_size()
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(30, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 2)).to(device)
    for p in model.parameters():
        dist.broadcast(p.data, src=0)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    buckets = into_buckets(model)
    data = make_data()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=40, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            for bucket in buckets:
                bucket.launch()
            for bucket in buckets:
                bucket.land(world)
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
