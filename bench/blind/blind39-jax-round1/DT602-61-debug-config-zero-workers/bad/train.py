import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from settings import PRESETS


def make_loader(data, settings):
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(
        data,
        batch_size=settings.batch_size,
        sampler=sampler,
        num_workers=settings.workers,
        prefetch_factor=settings.prefetch,
        persistent_workers=settings.keep_workers,
        drop_last=True,
    )
    return loader, sampler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--preset", choices=sorted(PRESETS), default="debug")
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    settings = PRESETS[args.preset]

    dist.init_process_group("gloo")
    torch.manual_seed(0)
    inputs = torch.randn(4096, 32)
    data = TensorDataset(inputs, inputs.norm(dim=1, keepdim=True))
    loader, sampler = make_loader(data, settings)
    model = DDP(nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 1)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if int(os.environ["RANK"]) == 0:
        torch.save(model.module.state_dict(), "norms.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
