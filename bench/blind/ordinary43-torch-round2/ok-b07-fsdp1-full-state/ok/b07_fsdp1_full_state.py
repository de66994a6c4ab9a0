"""FSDP1 with wrap policy, full state dict on rank 0, optimizer state, early stop."""
import functools
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullStateDictConfig, FullOptimStateDictConfig, FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecision, ShardingStrategy, StateDictType
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.attention = nn.MultiheadAttention(d, 4, batch_first=True)
        self.norm = nn.LayerNorm(d)

    def forward(self, x):
        a, _ = self.attention(x, x, x, need_weights=False)
        return self.norm(x + a)


class Model(nn.Module):
    def __init__(self, d=64, n=4):
        super().__init__()
        self.layers = nn.ModuleList(Layer(d) for _ in range(n))
        self.head = nn.Linear(d, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean(1)).squeeze(-1)


def save(model, optimizer, path, rank):
    policy = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
    optim_policy = FullOptimStateDictConfig(offload_to_cpu=True, rank0_only=True)
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, policy, optim_policy):
        weights = model.state_dict()
        moments = FSDP.optim_state_dict(model, optimizer)
    if rank == 0:
        torch.save({"model": weights, "optim": moments}, path)
    dist.barrier()


def fit(model, optimizer, loader, sampler, epoch, rank):
    model.train()
    sampler.set_epoch(epoch)
    stat = torch.zeros(2, device=torch.cuda.current_device())
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        model.clip_grad_norm_(1.0)
        optimizer.step()
        stat[0] += loss.detach() * len(x)
        stat[1] += len(x)
    dist.all_reduce(stat)
    return stat[0] / stat[1]


@torch.no_grad()
def validate(model, loader):
    model.eval()
    stat = torch.zeros(2, device="cuda")
    for x, y in loader:
        stat[0] += nn.functional.mse_loss(model(x.cuda()), y.cuda(), reduction="sum")
        stat[1] += len(x)
    dist.all_reduce(stat)
    return (stat[0] / stat[1]).item()


def main():
    local_rank, rank = int(os.environ["LOCAL_RANK"]), int(os.environ["RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    x = torch.randn(1024, 16, 64)
    data = TensorDataset(x, x.mean((1, 2)))
    train, val = torch.utils.data.random_split(data, [896, 128], generator=torch.Generator().manual_seed(1))
    sampler = DistributedSampler(train)
    loader = DataLoader(train, 16, sampler=sampler)
    val_loader = DataLoader(val, 16, sampler=DistributedSampler(val, shuffle=False))
    wrap = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Layer})
    model = FSDP(
        Model(), auto_wrap_policy=wrap, device_id=local_rank, sharding_strategy=ShardingStrategy.FULL_SHARD,
        mixed_precision=MixedPrecision(param_dtype=torch.bfloat16), sync_module_states=True, limit_all_gathers=True,
    )
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    best, bad = float("inf"), 0
    for epoch in range(50):
        train_loss = fit(model, optimizer, loader, sampler, epoch, rank)
        value = validate(model, val_loader)
        if rank == 0:
            print(f"{epoch}: train {train_loss.item():.4f} val {value:.4f}", file=sys.stderr)
        if value < best:
            best, bad = value, 0
            save(model, optimizer, "fsdp.pt", rank)
        else:
            bad += 1
            if bad > 5:
                break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
