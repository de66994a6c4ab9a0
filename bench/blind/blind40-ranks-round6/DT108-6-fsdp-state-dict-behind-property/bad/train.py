import functools
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from checkpointing import FullCheckpoint


def main(epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = nn.Sequential(*[nn.Sequential(nn.Linear(128, 128), nn.GELU()) for _ in range(4)], nn.Linear(128, 8))
    wrap = functools.partial(size_based_auto_wrap_policy, min_num_params=10_000)
    model = FSDP(net.cuda(), auto_wrap_policy=wrap, device_id=local_rank)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(1024, 128, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x[:, :8].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    checkpoint = FullCheckpoint(model, "ckpt", writes=dist.get_rank() == 0)
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad(set_to_none=True)
            nn.functional.cross_entropy(model(xb.cuda()), yb.cuda()).backward()
            opt.step()
            step += 1
        checkpoint.save(step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
