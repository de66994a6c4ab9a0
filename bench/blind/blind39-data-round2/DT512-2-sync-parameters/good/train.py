import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class LocalSteps:
    """Each rank takes `every` steps of its own, then the parameters are averaged."""

    def __init__(self, model, every):
        self.model, self.every = model, every
        self.count = 0

    @torch.no_grad()
    def average(self):
        world = dist.get_world_size()
        for p in self.model.parameters():
            dist.all_reduce(p)
            p /= world

    def after_step(self):
        self.count += 1
        if self.count % self.every == 0:
            self.average()


def flows(n=4096):
    gen = torch.Generator().manual_seed(65)
    x = torch.randn(n, 10, generator=gen)
    return TensorDataset(x, x.clamp(min=0).sum(dim=1, keepdim=True))


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    with torch.no_grad():
        for p in model.parameters():
            dist.broadcast(p, src=0)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    local = LocalSteps(model, every=8)
    data = flows()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
            local.after_step()
    local.average()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "flows.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
