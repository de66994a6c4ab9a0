"""Random-window dataset for seismic traces, trained with DDP."""
import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Traces(Dataset):
    def __init__(self, path, window=2048, seed=0):
        self.traces = np.load(path, mmap_mode="r")
        self.window = window
        self.rng = np.random.default_rng([seed, dist.get_rank()])

    def __len__(self):
        return len(self.traces)

    def _augment(self, piece):
        gain = self.rng.uniform(0.8, 1.2)
        return piece * gain + self.rng.normal(0, 0.01, piece.shape)

    def __getitem__(self, index):
        trace = self.traces[index]
        start = self.rng.integers(0, len(trace) - self.window)
        piece = self._augment(trace[start : start + self.window])
        return torch.from_numpy(piece.astype(np.float32))[None]


def autoencoder():
    return nn.Sequential(
        nn.Conv1d(1, 32, 9, stride=4, padding=4),
        nn.GELU(),
        nn.Conv1d(32, 8, 9, stride=4, padding=4),
        nn.GELU(),
        nn.ConvTranspose1d(8, 32, 8, stride=4, padding=2),
        nn.GELU(),
        nn.ConvTranspose1d(32, 1, 8, stride=4, padding=2),
    )


def main(epochs=40):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = Traces(os.environ["TRACES"])
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, num_workers=6, pin_memory=True)
    model = DDP(autoencoder().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x in loader:
            x = x.cuda(non_blocking=True)
            loss = nn.functional.mse_loss(model(x), x)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "seismic_ae.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
