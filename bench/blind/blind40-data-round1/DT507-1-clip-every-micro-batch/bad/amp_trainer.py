import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Series(Dataset):
    def __init__(self, n=2048, length=48):
        gen = torch.Generator().manual_seed(6)
        self.x = torch.cumsum(torch.randn(n, length + 1, generator=gen), dim=1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i, :-1], self.x[i, -1:]


class Forecaster(nn.Module):
    def __init__(self, length=48):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(length, 128), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, x):
        return self.net(x)


class Trainer:
    def __init__(self, window=4, max_norm=1.0):
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        torch.manual_seed(0)
        self.model = DistributedDataParallel(Forecaster().cuda(), device_ids=[self.local_rank])
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.window, self.max_norm = window, max_norm
        data = Series()
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, batch_size=16, sampler=self.sampler, drop_last=True, pin_memory=True)
        self.steps_per_epoch = len(self.loader) // window

    def backward(self, x, y, last):
        with contextlib.nullcontext() if last else self.model.no_sync():
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = F.smooth_l1_loss(self.model(x), y) / self.window
            loss.backward()
        return loss.detach()

    def run_epoch(self, epoch):
        self.sampler.set_epoch(epoch)
        batches = iter(self.loader)
        for _ in range(self.steps_per_epoch):
            self.opt.zero_grad(set_to_none=True)
            for micro in range(self.window):
                x, y = (t.cuda(non_blocking=True) for t in next(batches))
                self.backward(x, y, last=micro == self.window - 1)
                nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.opt.step()

    def close(self):
        if dist.get_rank() == 0:
            torch.save(self.model.module.state_dict(), "forecaster.pt")
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    trainer = Trainer()
    for epoch in range(10):
        trainer.run_epoch(epoch)
    trainer.close()
