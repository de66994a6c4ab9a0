import dataclasses
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclasses.dataclass
class Plan:
    micro: int = 8
    windows: int = 20
    per_window: int = 8
    lr: float = 3e-4


class Trainer:
    def __init__(self, plan):
        self.plan = plan
        self.local = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local)
        dist.init_process_group("nccl")
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(64, 4, 256, batch_first=True, dropout=0.0)
        net = nn.Sequential(nn.Linear(10, 64), nn.TransformerEncoder(layer, 4), nn.Linear(64, 10)).cuda()
        self.model = DDP(net, device_ids=[self.local])
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=plan.lr)
        gen = torch.Generator().manual_seed(6)
        data = TensorDataset(torch.randn(4096, 16, 10, generator=gen))
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, batch_size=plan.micro, sampler=self.sampler, drop_last=True)

    def loss(self, x):
        return F.mse_loss(self.model(x), x.roll(-1, dims=1)) / self.plan.per_window

    def window(self, batches):
        self.opt.zero_grad(set_to_none=True)
        for _ in range(self.plan.per_window):
            (x,) = next(batches)
            self.loss(x.cuda(non_blocking=True)).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.opt.step()

    def fit(self, epochs):
        for epoch in range(epochs):
            self.sampler.set_epoch(epoch)
            batches = iter(self.loader)
            for _ in range(min(self.plan.windows, len(self.loader) // self.plan.per_window)):
                self.window(batches)
        dist.destroy_process_group()


if __name__ == "__main__":
    Trainer(Plan()).fit(3)
