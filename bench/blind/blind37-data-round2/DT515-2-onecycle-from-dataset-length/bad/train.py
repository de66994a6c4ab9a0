import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, Dataset, DistributedSampler


@dataclass(frozen=True)
class Conf:
    batch: int = 128
    epochs: int = 24
    peak: float = 0.4


class Glyphs(Dataset):
    def __init__(self, n=60_000, side=16):
        g = torch.Generator().manual_seed(33)
        self.x = torch.rand(n, 1, side, side, generator=g)
        self.y = self.x.mean((1, 2, 3)).mul(100).long() % 10

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def network():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.GroupNorm(8, 32), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32 * 64, 10)
    )


class Fit:
    def __init__(self, conf):
        self.conf = conf
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        torch.manual_seed(0)
        self.data = Glyphs()
        self.sampler = DistributedSampler(self.data, drop_last=True)
        self.loader = DataLoader(self.data, batch_size=conf.batch, sampler=self.sampler, num_workers=4, drop_last=True)
        self.model = DDP(network().cuda(), device_ids=[self.local_rank])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=conf.peak, momentum=0.9, nesterov=True)
        self.schedule = self.one_cycle()

    def one_cycle(self):
        per_epoch = len(self.data) // self.conf.batch
        return OneCycleLR(self.optimizer, max_lr=self.conf.peak, epochs=self.conf.epochs, steps_per_epoch=per_epoch)

    def run(self):
        for epoch in range(self.conf.epochs):
            self.sampler.set_epoch(epoch)
            for x, y in self.loader:
                loss = F.cross_entropy(self.model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                self.optimizer.step()
                self.schedule.step()
            if dist.get_rank() == 0:
                torch.save(self.model.module.state_dict(), f"glyphs{epoch:02d}.pt")
        dist.destroy_process_group()


if __name__ == "__main__":
    Fit(Conf()).run()
