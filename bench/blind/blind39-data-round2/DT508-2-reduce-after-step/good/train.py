import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@torch.no_grad()
def same_weights(model):
    for tensor in (*model.parameters(), *model.buffers()):
        dist.broadcast(tensor, src=0)


@torch.no_grad()
def average_gradients(model, world):
    works = []
    for p in model.parameters():
        if p.grad is not None:
            works.append((p, dist.all_reduce(p.grad, async_op=True)))
    for p, work in works:
        work.wait()
        p.grad.div_(world)


class Loop:
    def __init__(self, model, optimizer, device):
        self.model, self.optimizer, self.device = model, optimizer, device
        self.world = dist.get_world_size()

    def step(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
        loss.backward()
        average_gradients(self.model, self.world)
        self.optimizer.step()
        return loss.detach()


def stars(n=4096):
    gen = torch.Generator().manual_seed(37)
    x = torch.randn(n, 14, generator=gen)
    return TensorDataset(x, (x.norm(dim=1) > 3.7).long())


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(14, 64), nn.ReLU(), nn.Linear(64, 2)).to(device)
    same_weights(model)
    loop = Loop(model, torch.optim.Adam(model.parameters(), lr=1e-3), device)
    data = stars()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loop.step(x, y)
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "stars.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
