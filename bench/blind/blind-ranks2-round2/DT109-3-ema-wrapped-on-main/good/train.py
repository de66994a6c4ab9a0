import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from ema import build


class Blobs(Dataset):
    def __init__(self, n):
        self.points = torch.randn(n, 2, generator=torch.Generator().manual_seed(0)) * 0.3 + 1

    def __len__(self):
        return len(self.points)

    def __getitem__(self, i):
        return self.points[i]


def denoising_loss(model, clean, generator):
    noise = torch.randn(clean.shape, generator=generator).to(clean)
    return (model(clean + noise) - noise).pow(2).mean()


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model, average = build(nn.Sequential(nn.Linear(2, 32), nn.SiLU(), nn.Linear(32, 2)), device, 0.99)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    data = Blobs(256)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    noise = torch.Generator().manual_seed(1000 + rank)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for clean in loader:
            optimizer.zero_grad(set_to_none=True)
            denoising_loss(model, clean.to(device), noise).backward()
            optimizer.step()
            if average is not None:
                average.update(model.module)
    if average is not None:
        torch.save(average.module.state_dict(), "ema.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
