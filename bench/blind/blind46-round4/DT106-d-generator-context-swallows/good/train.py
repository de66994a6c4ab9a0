import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from memory import Skips


def main(epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(512, 4096), nn.GELU(), nn.Linear(4096, 512)).to(device)
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    data = TensorDataset(torch.randn(4096, 512, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    skips = Skips(limit=10)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            with skips.on_oom():
                x = x.to(device, non_blocking=True)
                optimizer.zero_grad(set_to_none=True)
                F.mse_loss(model(x), x).backward()
                optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
