import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, ShardingStrategy
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def build(local):
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, batch_first=True), 3)
    return FSDP(
        model,
        auto_wrap_policy=ModuleWrapPolicy({nn.TransformerEncoderLayer}),
        sharding_strategy=ShardingStrategy.FULL_SHARD,
        device_id=local,
        sync_module_states=True,
    )


def clip(model, limit):
    return torch.nn.utils.clip_grad_norm_(model.parameters(), limit)


def main(epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    series = torch.randn(2048, 20, 64)
    sampler = DistributedSampler(series, shuffle=True)
    loader = DataLoader(TensorDataset(series), batch_size=16, sampler=sampler, drop_last=True)
    model = build(local)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda(non_blocking=True)
            loss = F.mse_loss(model(x[:, :-1]), x[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            norm = clip(model, 1.0)
            optimizer.step()
        if dist.get_rank() == 0:
            print(epoch, float(norm))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
