import functools

import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy


class Engine:
    def __init__(self, net: nn.Module, layer_cls: type, local_rank: int, clip: float):
        policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={layer_cls})
        self.model = FSDP(
            net,
            auto_wrap_policy=policy,
            sharding_strategy=ShardingStrategy.FULL_SHARD,
            device_id=local_rank,
            use_orig_params=True,
        )
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-4, fused=True)
        self.clip = clip

    def train_step(self, batch):
        loss = self.model(batch).float().pow(2).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()
