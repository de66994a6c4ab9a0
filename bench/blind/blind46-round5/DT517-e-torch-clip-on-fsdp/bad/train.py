import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from optim import Clipping, build_optimizer


def main(epochs=2):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(48, 192), nn.GELU(), nn.Linear(192, 48)).cuda()
    model = FSDP(net, sharding_strategy=ShardingStrategy.FULL_SHARD, use_orig_params=True)
    optimizer, clip = build_optimizer(model, 1e-3), Clipping()
    data = TensorDataset(torch.randn(2048, 48, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda(non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(x), x).backward()
            clip(model)
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
