import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from settings import Settings


def loader(cfg, data):
    sampler = DistributedSampler(data, drop_last=True)
    return DataLoader(data, cfg.batch_size, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)


def network():
    return nn.Sequential(
        nn.Conv3d(1, 16, 3, padding=1), nn.ELU(), nn.MaxPool3d(2),
        nn.Conv3d(16, 32, 3, padding=1), nn.ELU(), nn.AdaptiveAvgPool3d(3), nn.Flatten(), nn.Linear(864, 4),
    )


def main():
    cfg = Settings()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = TensorDataset(*torch.load("radar.pt", map_location="cpu", mmap=True))
    feed = loader(cfg, data)
    model = DDP(network().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), cfg.lr)
    for epoch in range(cfg.epochs):
        feed.sampler.set_epoch(epoch)
        for cube, kind in feed:
            loss = nn.functional.cross_entropy(model(cube.cuda(non_blocking=True)), kind.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "radar_net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
