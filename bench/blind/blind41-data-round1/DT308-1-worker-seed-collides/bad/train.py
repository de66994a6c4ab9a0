import random

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import Dataset

from loader import make_loader


class NoisyTones(Dataset):
    def __len__(self):
        return 10_000

    def __getitem__(self, i):
        t = torch.arange(256) / 256
        clean = torch.sin(2 * torch.pi * (1 + i % 20) * t)
        return clean + random.uniform(0, 0.3) * torch.randn(256), clean


def main(epochs=3, seed=21):
    dist.init_process_group("gloo")
    torch.manual_seed(seed)
    loader, sampler = make_loader(NoisyTones(), 64, seed)
    model = DDP(nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 256)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for noisy, clean in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(noisy), clean).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
