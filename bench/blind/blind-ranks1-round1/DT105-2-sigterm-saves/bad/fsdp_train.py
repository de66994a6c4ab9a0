import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from preempt import PreemptionGuard


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        return x + self.ff(self.norm(x))


def build(mesh, dim=16, depth=2):
    model = nn.Sequential(*(Block(dim) for _ in range(depth)), nn.Linear(dim, 1))
    for layer in model:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def train(model, optimizer, loader, sampler, guard, device, epochs=3):
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            loss = F.mse_loss(model(a.to(device)), b.to(device))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            guard.step += 1
            if guard.due(device):
                guard.save()
                return
    guard.save()


def main():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    device_type = "cuda" if cuda else "cpu"
    dist.init_process_group("nccl" if cuda else "gloo")
    mesh = init_device_mesh(device_type, (dist.get_world_size(),))
    torch.manual_seed(0)
    model = build(mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    guard = PreemptionGuard(model, optimizer, os.environ.get("OUT", "ckpt")).install()

    g = torch.Generator().manual_seed(8)
    x = torch.randn(512, 16, generator=g)
    data = TensorDataset(x, x[:, :1] * x[:, 1:2])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    train(model, optimizer, loader, sampler, guard, device_type)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
