import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


@dataclass
class Recipe:
    steps: int = 32
    window: int = 4
    micro: int = 8
    dim: int = 64
    lr: float = 1e-3


def model_for(recipe: Recipe) -> nn.Module:
    layers = [nn.Sequential(nn.Linear(recipe.dim, recipe.dim), nn.Tanh()) for _ in range(4)]
    net = nn.Sequential(*layers, nn.Linear(recipe.dim, 1))
    for layer in layers:
        fully_shard(layer, mp_policy=MixedPrecisionPolicy())
    fully_shard(net)
    return net


def stream(recipe: Recipe, rank: int, device: torch.device):
    g = torch.Generator().manual_seed(1000 + rank)
    while True:
        x = torch.randn(recipe.micro, recipe.dim, generator=g)
        yield x.to(device), x[:, :1].to(device)


def fit(recipe: Recipe, device: torch.device) -> None:
    torch.manual_seed(0)
    net = model_for(recipe)
    opt = torch.optim.AdamW(net.parameters(), lr=recipe.lr)
    data = stream(recipe, dist.get_rank(), device)
    for micro in range(recipe.steps):
        x, y = next(data)
        net.set_requires_gradient_sync(micro % recipe.window == 0)
        loss = nn.functional.mse_loss(net(x), y) / recipe.window
        loss.backward()
        if (micro + 1) % recipe.window == 0:
            opt.step()
            opt.zero_grad()


def main() -> None:
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    try:
        fit(Recipe(), device)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
