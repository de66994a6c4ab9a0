import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.utils.tensorboard import SummaryWriter


class Trainer:
    def __init__(self, log_dir="/shared/logs/waves"):
        self.rank = int(os.environ["RANK"])
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        self.device = torch.device("cuda", self.local_rank)
        self.writer = None
        if self.rank == 0:
            self.writer = SummaryWriter(log_dir)
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(50, 100), nn.Tanh(), nn.Linear(100, 50)).to(self.device)
        self.model = DDP(net, device_ids=[self.local_rank])
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def report(self, epoch, total, steps):
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
        if self.rank == 0:
            self.writer.add_scalar("train/loss", total.item() / steps, epoch)

    def fit(self, data, epochs):
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            total = torch.zeros((), device=self.device)
            for past, future in loader:
                self.opt.zero_grad(set_to_none=True)
                loss = F.mse_loss(self.model(past.to(self.device)), future.to(self.device))
                loss.backward()
                self.opt.step()
                total += loss.detach()
            self.report(epoch, total, len(loader))

    def close(self):
        if self.writer is not None:
            self.writer.close()
        dist.destroy_process_group()


def waves(n=8192):
    gen = torch.Generator().manual_seed(92)
    phase = torch.rand(n, 1, generator=gen) * 6.28
    t = torch.linspace(0, 12.56, 100)
    x = torch.sin(t + phase)
    return TensorDataset(x[:, :50].contiguous(), x[:, 50:].contiguous())


if __name__ == "__main__":
    trainer = Trainer()
    trainer.fit(waves(), epochs=10)
    trainer.close()
