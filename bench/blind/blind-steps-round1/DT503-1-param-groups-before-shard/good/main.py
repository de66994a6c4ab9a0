import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from optim import build_optimizer


class Block(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, 4 * dim)
        self.down = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Tower(nn.Module):
    def __init__(self, dim: int = 32, depth: int = 3):
        super().__init__()
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.head = nn.Linear(dim, 1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def shard(model: Tower, mesh) -> Tower:
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def main(steps: int = 20) -> None:
    kind = "cuda" if torch.cuda.is_available() else "cpu"
    if kind == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if kind == "cuda" else "gloo")
    mesh = init_device_mesh(kind, (dist.get_world_size(),), mesh_dim_names=("dp",))
    torch.manual_seed(1)
    model = Tower().to(kind)
    model = shard(model, mesh)
    optimizer = build_optimizer(model, lr=3e-3)
    draw = torch.Generator().manual_seed(100 + dist.get_rank())
    for step in range(steps):
        x = torch.randn(16, 32, generator=draw).to(kind)
        loss = F.mse_loss(model(x), x.mean(1, keepdim=True))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        report = loss.detach()
        dist.all_reduce(report, op=dist.ReduceOp.SUM)
        if dist.get_rank() == 0 and step % 5 == 0:
            print(step, report.item() / dist.get_world_size())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
