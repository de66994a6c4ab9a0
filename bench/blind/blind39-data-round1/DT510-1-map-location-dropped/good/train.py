import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from checkpoints import Checkpoints


def toy(n=16384):
    gen = torch.Generator().manual_seed(3)
    x = torch.randn(n, 64, generator=gen)
    return TensorDataset(x, x.pow(2).mean(dim=1, keepdim=True))


def main(epochs=5):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(64, 512), nn.GELU(), nn.Linear(512, 1)).to(device), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = toy()
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=128, sampler=sampler, drop_last=True, pin_memory=True)
    checkpoints = Checkpoints("/shared/runs/square")
    step = checkpoints.load(map_location=device, model=model.module, optimizer=optimizer)
    for epoch in range(step // len(loader), epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
            step += 1
        if dist.get_rank() == 0:
            checkpoints.write(step, model=model.module, optimizer=optimizer)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
