import argparse
import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@contextmanager
def rank_zero_first():
    if dist.get_rank() != 0:
        dist.barrier()
    yield
    if dist.get_rank() == 0:
        dist.barrier()


def spectra(path):
    waves = np.load(path).astype(np.float32)
    return np.abs(np.fft.rfft(waves, axis=1)).astype(np.float32)


def cached_spectra(raw, cache):
    """The transformed data; computed once, by rank 0, and found by everybody afterwards."""
    if not cache.exists():
        with rank_zero_first():
            if dist.get_rank() == 0:
                np.save(cache, spectra(raw))
    return np.load(cache, mmap_mode="r")


class Compress(nn.Module):
    def __init__(self, bins, dim=32):
        super().__init__()
        self.down, self.up = nn.Linear(bins, dim), nn.Linear(dim, bins)

    def forward(self, x):
        return self.up(torch.relu(self.down(x)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--raw", type=Path, default=Path("waves.npy"))
    parser.add_argument("--cache", type=Path, default=Path("spectra.npy"))
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rows = torch.from_numpy(np.array(cached_spectra(args.raw, args.cache)))
    torch.manual_seed(0)
    model = DDP(Compress(rows.shape[1]).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = TensorDataset(rows)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            opt.zero_grad()
            F.mse_loss(model(x), x).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "compress.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
