import functools
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Linear(dim, dim)

    def forward(self, x):
        return x + F.silu(self.ff(self.norm(x)))


def build(dim=192, depth=6):
    return nn.Sequential(*(Layer(dim) for _ in range(depth)))


class Stepper:
    def __init__(self, model, lr, max_norm):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.95))
        self.schedule = torch.optim.lr_scheduler.StepLR(self.optimizer, step_size=100, gamma=0.9)

    def __call__(self, loss):
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.model.clip_grad_norm_(self.max_norm)
        self.optimizer.step()
        self.schedule.step()


def noise_pairs(n=3072, dim=192):
    gen = torch.Generator().manual_seed(71)
    clean = torch.randn(n, dim, generator=gen)
    return TensorDataset(clean + 0.3 * torch.randn(n, dim, generator=gen), clean)


def main(epochs=4):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    wrap = functools.partial(
        FSDP,
        auto_wrap_policy=ModuleWrapPolicy({Layer}),
        sharding_strategy=ShardingStrategy.FULL_SHARD,
        device_id=local_rank,
        use_orig_params=True,
    )
    model = wrap(build())
    step = Stepper(model, lr=6e-4, max_norm=1.0)
    data = noise_pairs()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=48, sampler=sampler, drop_last=True, pin_memory=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for noisy, clean in loader:
            noisy, clean = noisy.cuda(non_blocking=True), clean.cuda(non_blocking=True)
            step(F.mse_loss(model(noisy), clean))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
