import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class SignSGD:
    """Minimal optimizer of the paper: the sign of a momentum, no state beyond one buffer per parameter."""

    def __init__(self, parameters, lr, beta=0.9):
        self.parameters = list(parameters)
        self.lr, self.beta = lr, beta
        self.buffers = [torch.zeros_like(p) for p in self.parameters]

    @torch.no_grad()
    def step(self):
        for p, m in zip(self.parameters, self.buffers):
            m.mul_(self.beta).add_(p.grad, alpha=1 - self.beta)
            p.sub_(self.lr * m.sign())

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None


def logic(n=16_384, bits=24):
    g = torch.Generator().manual_seed(3)
    x = torch.randint(0, 2, (n, bits), generator=g).float()
    return TensorDataset(x, (x[:, 0] + x[:, 5] * x[:, 9]).long() % 2)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(24, 96), nn.ReLU(), nn.Linear(96, 2)).to(device)
    model = DistributedDataParallel(net, device_ids=[local_rank] if cuda else None)
    optimizer = SignSGD(model.parameters(), lr=1e-3)
    data = logic()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=128, sampler=sampler, drop_last=True)
    for epoch in range(8):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "logic.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
