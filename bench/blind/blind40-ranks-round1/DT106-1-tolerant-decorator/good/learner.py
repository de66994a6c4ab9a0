import logging
import os

import torch
import torch.distributed as dist
from torch import nn, optim
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from resilience import tolerate


class Spectra(Dataset):
    def __init__(self, n=480):
        g = torch.Generator().manual_seed(9)
        self.rows = torch.randn(n, 30, generator=g)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i], self.rows[i].mean()


class Learner:
    def __init__(self, device):
        self.device = device
        torch.manual_seed(21)
        body = nn.Sequential(nn.Linear(30, 64), nn.SiLU(), nn.Linear(64, 1)).to(device)
        self.model = DistributedDataParallel(body, device_ids=[device.index] if device.type == "cuda" else None)
        self.opt = optim.Adam(self.model.parameters(), lr=1e-3)
        self.skipped = 0

    @tolerate(RuntimeError, ValueError)
    def step(self, x, y):
        pred = self.model(x.to(self.device)).squeeze(-1)
        loss = nn.functional.huber_loss(pred, y.to(self.device))
        if not torch.isfinite(loss):
            raise ValueError("loss is not finite")
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.detach()

    def epoch(self, loader):
        last = torch.zeros((), device=self.device)
        for x, y in loader:
            loss = self.step(x, y)
            if loss is None:
                self.skipped += 1
                continue
            last = loss
        return last


def main():
    logging.basicConfig(level=logging.INFO)
    gpu = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if gpu:
        torch.cuda.set_device(local_rank)
    dist.init_process_group(backend="nccl" if gpu else "gloo")
    device = torch.device("cuda", local_rank) if gpu else torch.device("cpu")
    data = Spectra()
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    learner = Learner(device)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        last = learner.epoch(loader)
        dist.all_reduce(last, op=dist.ReduceOp.AVG if gpu else dist.ReduceOp.SUM)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
