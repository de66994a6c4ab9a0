import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Job:
    def __init__(self):
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        self.main = dist.get_rank() == 0
        torch.manual_seed(0)
        self.model = DDP(nn.Sequential(nn.Linear(50, 500), nn.ReLU(), nn.Linear(500, 5)).cuda(), device_ids=[self.local_rank])
        self.opt = ZeroRedundancyOptimizer(self.model.parameters(), torch.optim.Adam, lr=1e-3)

    def save(self, epoch):
        if self.main:
            self.opt.consolidate_state_dict(to=0)
            torch.save({"model": self.model.module.state_dict(), "opt": self.opt.state_dict(), "epoch": epoch}, "last.pt")

    def run(self):
        gen = torch.Generator().manual_seed(0)
        data = TensorDataset(torch.randn(1000, 50, generator=gen), torch.randint(0, 5, (1000,), generator=gen))
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
        for epoch in range(3):
            sampler.set_epoch(epoch)
            for x, y in loader:
                self.opt.zero_grad()
                nn.functional.cross_entropy(self.model(x.cuda()), y.cuda()).backward()
                self.opt.step()
            self.save(epoch)
        dist.destroy_process_group()


if __name__ == "__main__":
    Job().run()
