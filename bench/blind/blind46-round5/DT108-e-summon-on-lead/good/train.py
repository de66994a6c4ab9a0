import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from debug import log_norms


def main(epochs=2, log_every=20):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = FSDP(nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 32)).cuda(), use_orig_params=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(2048, 32, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda()
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(x), x).backward()
            optimizer.step()
            step += 1
            if step % log_every == 0:
                log_norms(model, step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
