import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def schedule_for(optimizer, total, warmup=100):
    ramp = LinearLR(optimizer, start_factor=0.01, total_iters=warmup)
    fall = CosineAnnealingLR(optimizer, T_max=total - warmup)
    return SequentialLR(optimizer, [ramp, fall], milestones=[warmup])


class Trainer:
    def __init__(self, epochs):
        self.epochs = epochs
        cuda = torch.cuda.is_available()
        local_rank = int(os.environ["LOCAL_RANK"])
        if cuda:
            torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl" if cuda else "gloo")
        self.device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
        torch.manual_seed(0)
        gen = torch.Generator().manual_seed(11)
        x = torch.randn(16_384, 24, generator=gen)
        data = TensorDataset(x, x.std(dim=1, keepdim=True))
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, batch_size=32, sampler=self.sampler, drop_last=True)
        net = nn.Sequential(nn.Linear(24, 64), nn.GELU(), nn.Linear(64, 1)).to(self.device)
        self.model = DDP(net, device_ids=[local_rank] if cuda else None)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-3)
        total = epochs * len(self.loader) * dist.get_world_size()
        self.schedule = schedule_for(self.optimizer, total)

    def step(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        F.mse_loss(self.model(x.to(self.device)), y.to(self.device)).backward()
        self.optimizer.step()
        self.schedule.step()

    def run(self):
        for epoch in range(self.epochs):
            self.sampler.set_epoch(epoch)
            for x, y in self.loader:
                self.step(x, y)
            if dist.get_rank() == 0:
                torch.save(self.model.module.state_dict(), "spread.pt")


if __name__ == "__main__":
    trainer = Trainer(epochs=6)
    trainer.run()
    dist.destroy_process_group()
