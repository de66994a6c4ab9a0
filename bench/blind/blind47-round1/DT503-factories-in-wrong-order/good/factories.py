from dataclasses import dataclass
from typing import Callable

import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy


@dataclass(frozen=True)
class Recipe:
    build: Callable[[], nn.Module]
    optimizer: Callable[..., torch.optim.Optimizer]
    sharding: ShardingStrategy = ShardingStrategy.FULL_SHARD


@dataclass
class Parts:
    model: nn.Module
    optimizer: torch.optim.Optimizer


def shard(recipe: Recipe, model: nn.Module) -> nn.Module:
    return FSDP(model, sharding_strategy=recipe.sharding, device_id=torch.cuda.current_device())


def assemble(recipe: Recipe) -> Parts:
    model = recipe.build()
    model = shard(recipe, model)
    return Parts(model, recipe.optimizer(model.parameters()))
