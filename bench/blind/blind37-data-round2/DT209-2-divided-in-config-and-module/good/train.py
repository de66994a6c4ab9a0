import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from config import Config


def spectra(n=200_000, bins=128):
    g = torch.Generator().manual_seed(58)
    x = torch.rand(n, bins, generator=g)
    return TensorDataset(x, x.cumsum(1)[:, ::16])


class Head(nn.Module):
    def __init__(self, bins=128, out=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(bins, 256), nn.GELU(), nn.Linear(256, 256), nn.GELU(), nn.Linear(256, out))

    def forward(self, x):
        return self.net(x)


def make_loader(data, cfg):
    sampler = DistributedSampler(data, seed=cfg.seed, drop_last=True)
    loader = DataLoader(data, batch_size=cfg.batch.per_rank, sampler=sampler, num_workers=4, drop_last=True, pin_memory=True)
    return loader, sampler


def main():
    cfg = Config()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(cfg.seed)
    loader, sampler = make_loader(spectra(), cfg)
    model = DDP(Head().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg.epochs * len(loader))
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.smooth_l1_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "head.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
