import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class GatherGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        parts = [torch.empty_like(x) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, x.contiguous())
        ctx.rows = x.shape[0]
        return torch.cat(parts)

    @staticmethod
    def backward(ctx, grad):
        grad = grad.contiguous()
        dist.all_reduce(grad)
        start = dist.get_rank() * ctx.rows
        return grad[start : start + ctx.rows]


class TwoTower(nn.Module):
    def __init__(self, dim=40, out=32):
        super().__init__()
        self.left = nn.Sequential(nn.Linear(dim, 128), nn.ReLU(), nn.Linear(128, out))
        self.right = nn.Sequential(nn.Linear(dim, 128), nn.ReLU(), nn.Linear(128, out))
        self.scale = nn.Parameter(torch.tensor(2.6))

    def forward(self, a, b):
        return F.normalize(self.left(a), dim=-1), F.normalize(self.right(b), dim=-1), self.scale.exp()


def contrast(a, b, scale):
    every_a, every_b = GatherGrad.apply(a), GatherGrad.apply(b)
    logits = scale * every_a @ every_b.T
    target = torch.arange(logits.shape[0], device=logits.device)
    return (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2


def pairs(n=4096, dim=40):
    g = torch.Generator().manual_seed(13)
    a = torch.randn(n, dim, generator=g)
    return TensorDataset(a, a.roll(3, 1) + 0.1 * torch.randn(n, dim, generator=g))


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = TwoTower().to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    data = pairs()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for a, b in loader:
            loss = contrast(*model(a.to(device), b.to(device)))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total)
        if dist.get_rank() == 0:
            print(epoch, total.item() / len(loader) / dist.get_world_size())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
