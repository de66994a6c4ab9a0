import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from settings import LoaderSettings, Settings


def build_loader(data, sampler, cfg: LoaderSettings) -> DataLoader:
    return DataLoader(
        data,
        batch_size=cfg.batch_size,
        sampler=sampler,
        num_workers=cfg.workers,
        prefetch_factor=cfg.prefetch,
        drop_last=True,
    )


def main():
    cfg = Settings()
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    g = torch.Generator().manual_seed(5)
    data = TensorDataset(torch.randn(640, 12, generator=g), torch.randn(640, 1, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = build_loader(data, sampler, cfg.loader)
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
