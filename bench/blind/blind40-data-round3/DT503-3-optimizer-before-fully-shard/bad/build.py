import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Residual(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        return x + self.net(x)


def make_model(dim, depth):
    return nn.Sequential(nn.Linear(40, dim), *(Residual(dim) for _ in range(depth)), nn.Linear(dim, 1))


def make_optimizer(model, lr):
    return torch.optim.AdamW(model.parameters(), lr=lr, fused=True)


def make_sharded(model, mesh):
    for layer in model:
        if isinstance(layer, Residual):
            fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model


def prepare(mesh, dim=512, depth=8, lr=1e-3):
    model = make_model(dim, depth).cuda()
    optimizer = make_optimizer(model, lr)
    return make_sharded(model, mesh), optimizer
