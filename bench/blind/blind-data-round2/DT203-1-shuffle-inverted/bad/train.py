import os
from functools import partial

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

Loader = partial(DataLoader, num_workers=0, pin_memory=False)

def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def loaders(batch):
    g = torch.Generator().manual_seed(2)
    x = torch.randn(640, 11, generator=g)
    data = TensorDataset(x, x.amax(1))
    world = dist.get_world_size()
    sampler = DistributedSampler(data, num_replicas=world, rank=dist.get_rank(), shuffle=True) if world > 1 else None
    return Loader(data, batch_size=batch, sampler=sampler, shuffle=sampler is not None, drop_last=True)


def main():
    device = start()
    torch.manual_seed(0)
    model = FSDP(nn.Sequential(nn.Linear(11, 40), nn.ReLU(), nn.Linear(40, 1)).to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    loader = loaders(16)
    for epoch in range(2):
        if dist.get_world_size() > 1:
            loader.sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.huber_loss(model(x.to(device))[:, 0], y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
